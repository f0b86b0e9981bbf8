// SPDX-License-Identifier: Apache-2.0
// Symbolic numbers over core/symbol; see tenon/symbol.h.
#include "tenon/symbol.h"

#include <vector>

#include "base/check.h"
#include "base/read_struct.h"
#include "guard.h"
#include "not_null.h"
#include "out_struct.h"
#include "symbol/function.h"
#include "symbol/symbolic_tensor.h"
#include "symbol/symbolic_value.h"
#include "value/buffer.h"

using tenon::capi::guarded;
using tenon::symbol::Binding;
using tenon::symbol::Expression;
using tenon::symbol::GuardLocation;
using tenon::symbol::ShapeEnv;
using tenon::symbol::Word;

namespace {

constexpr size_t kFirstGuard = 56;
constexpr size_t kFirstOptions = 96;
static_assert(sizeof(tenon_shape_guard) >= kFirstGuard);
static_assert(sizeof(tenon_symbolic_options) >= kFirstOptions);

tenon_buffer* text_of(std::string_view text) { return tenon::value::text_buffer(text).detach(); }

// Environments are const in the C API, but their functions change them under their lock.
ShapeEnv& env_in(const tenon_shape_env* env) { return *const_cast<tenon_shape_env*>(env); }

const Expression& expression_in(const tenon_symbol* symbol) {
  return static_cast<const Expression&>(*symbol);
}

std::vector<Binding> bindings_of(const char* function, const ShapeEnv& env,
                                 const tenon_symbol* const* variables, const int64_t* numbers,
                                 int64_t count) {
  TENON_CHECK_ARG(count >= 0 && (count == 0 || (variables != nullptr && numbers != nullptr)),
                  function, ": variables and numbers must be given, got NULL for ", count);
  std::vector<Binding> bindings;
  for (int64_t k = 0; k < count; ++k) {
    TENON_CHECK_ARG(variables[k] != nullptr && variables[k]->owner == &env &&
                        variables[k]->tag == TENON_TAG_SYMINT &&
                        expression_in(variables[k]).kind == tenon::symbol::Kind::kVariable,
                    function,
                    ": variables must be int symbols of this shape environment, got another value ",
                    "at ", k);
    bindings.push_back({&expression_in(variables[k]), numbers[k]});
  }
  return bindings;
}

void check_int(const char* function, const tenon_symbol* symbol) {
  TENON_CHECK_TYPE(symbol->tag == TENON_TAG_SYMINT, function, ": symbol must be an int, got ",
                   tenon::value::tag_name(symbol->tag));
}

// Returns the environment of two words, or NULL if none of them is a symbol.
ShapeEnv* env_of_words(const char* function, int64_t a, int64_t b) {
  ShapeEnv* env = nullptr;
  for (const int64_t word : {a, b}) {
    if (!tenon::base::is_symbol(word)) continue;
    ShapeEnv& other = tenon::symbol::env_of(*tenon::base::symbol_of(word));
    TENON_CHECK_ARG(env == nullptr || env == &other, function,
                    ": symbols must be of one shape environment, got two");
    env = &other;
  }
  return env;
}

GuardLocation given_location(const char* file, int32_t line) {
  GuardLocation place = GuardLocation::current();
  if (file == nullptr) return place;
  place.file = file;
  place.line = line;
  return place;
}

tenon::symbol::VariableOptions variable_options(uint16_t tag, const char* name,
                                                const tenon_value* hint, int64_t min, int64_t max) {
  constexpr const char* kNew = "tenon_symbol_new";
  TENON_CHECK_ARG(tag >= TENON_TAG_SYMINT && tag <= TENON_TAG_SYMBOOL, kNew,
                  ": tag must be TENON_TAG_SYMINT, SYMFLOAT or SYMBOOL, got ", tag);
  tenon::symbol::VariableOptions options;
  options.tag = tag;
  if (name != nullptr) options.name = name;
  if (tag == TENON_TAG_SYMINT) options.range = {min, max};
  if (hint == nullptr) return options;
  const uint16_t wanted = tag == TENON_TAG_SYMINT     ? TENON_TAG_INT
                          : tag == TENON_TAG_SYMFLOAT ? TENON_TAG_FLOAT
                                                      : TENON_TAG_BOOL;
  TENON_CHECK_TYPE(hint->tag == wanted, kNew, ": hint must be ", tenon::value::tag_name(wanted),
                   ", got ", tenon::value::tag_name(hint->tag));
  options.hint = tag == TENON_TAG_SYMFLOAT ? 0 : hint->as.i;
  if (tag == TENON_TAG_SYMFLOAT) options.real_hint = hint->as.f;
  return options;
}

// Describes a guard. Its texts are stored in one buffer, each followed by a NUL.
tenon_shape_guard guard_info(const tenon::symbol::Guard& guard, std::string_view text) {
  std::string texts(text);
  texts += '\0';
  texts += guard.place.file;
  texts += '\0';
  texts += guard.place.op;
  tenon_shape_guard info{};
  info.owner = text_of(texts);
  const auto* at = static_cast<const char*>(info.owner->data());
  info.text = at;
  at += text.size() + 1;
  if (!guard.place.file.empty()) info.file = at;
  at += guard.place.file.size() + 1;
  if (!guard.place.op.empty()) info.op = at;
  info.line = guard.place.line;
  return info;
}

}  // namespace

extern "C" {

tenon_status tenon_shape_env_new(uint32_t flags, tenon_shape_env** out_env) {
  TENON_REQUIRE(out_env);
  *out_env = nullptr;
  return guarded([&] {
    TENON_CHECK_ARG(flags == 0, "tenon_shape_env_new: flags must be 0, got ", flags);
    *out_env = static_cast<tenon_shape_env*>(tenon::symbol::new_shape_env().detach());
  });
}

tenon_shape_env* tenon_shape_env_retain(tenon_shape_env* env) {
  if (env != nullptr) env->retain();
  return env;
}

void tenon_shape_env_release(tenon_shape_env* env) {
  if (env != nullptr) env->release();
}

tenon_status tenon_shape_env_print(const tenon_shape_env* env, tenon_buffer** out_text) {
  TENON_REQUIRE(out_text);
  TENON_REQUIRE(env, out_text);
  *out_text = nullptr;
  return guarded([&] { *out_text = text_of(env_in(env).print()); });
}

int64_t tenon_shape_env_guard_count(const tenon_shape_env* env) {
  TENON_NEVER_NULL(env);
  int64_t count = 0;
  guarded([&] { count = static_cast<int64_t>(env_in(env).guards().size()); });
  return count;
}

tenon_status tenon_shape_env_guard(const tenon_shape_env* env, int64_t index,
                                   tenon_shape_guard* out_guard) {
  TENON_REQUIRE(out_guard);
  TENON_REQUIRE(env);
  return guarded([&] {
    constexpr const char* kGuard = "tenon_shape_env_guard";
    tenon::capi::fill_struct(kGuard, kFirstGuard, out_guard, [&] {
      const auto guards = env_in(env).guards();
      TENON_CHECK_INDEX(index >= 0 && index < static_cast<int64_t>(guards.size()), kGuard,
                        ": index must be in [0, ", guards.size(), "), got ", index);
      const auto& guard = guards[static_cast<size_t>(index)];
      return guard_info(guard, env_in(env).guard_text(guard));
    });
  });
}

tenon_status tenon_shape_env_check(const tenon_shape_env* env, const tenon_symbol* const* variables,
                                   const int64_t* numbers, int64_t count, int32_t* out_holds,
                                   tenon_buffer** out_failure) {
  TENON_REQUIRE(out_holds, out_failure);
  TENON_REQUIRE(env, out_holds, out_failure);
  *out_holds = 0;
  if (out_failure != nullptr) *out_failure = nullptr;
  return guarded([&] {
    const auto bindings =
        bindings_of("tenon_shape_env_check", env_in(env), variables, numbers, count);
    const std::string failure = env_in(env).first_failure(bindings);
    if (!failure.empty() && out_failure != nullptr) *out_failure = text_of(failure);
    *out_holds = failure.empty();
  });
}

tenon_status tenon_shape_env_new_size(tenon_shape_env* env, int64_t hint, tenon_value* out_size) {
  TENON_REQUIRE(out_size);
  *out_size = {};
  return guarded([&] {
    TENON_CHECK_ARG(hint >= 0, "tenon_shape_env_new_size: hint must be >= 0, got ", hint);
    tenon::symbol::VariableOptions options;
    options.hint = hint;
    options.range.low = 2;
    *out_size =
        hint < 2 ? tenon_value_of_int(hint)
                 : tenon::symbol::value_of_word(tenon::base::word_of(env->new_variable(options)));
  });
}

tenon_status tenon_symbol_new(tenon_shape_env* env, uint16_t tag, const char* name,
                              const tenon_value* hint, int64_t min, int64_t max,
                              tenon_symbol** out_symbol) {
  TENON_REQUIRE(out_symbol);
  *out_symbol = nullptr;
  return guarded([&] {
    const Expression* made = env->new_variable(variable_options(tag, name, hint, min, max));
    *out_symbol = const_cast<Expression*>(made);
    (*out_symbol)->retain();
  });
}

tenon_symbol* tenon_symbol_retain(tenon_symbol* symbol) {
  if (symbol != nullptr) symbol->retain();
  return symbol;
}

void tenon_symbol_release(tenon_symbol* symbol) {
  if (symbol != nullptr) symbol->release();
}

uint16_t tenon_symbol_tag(const tenon_symbol* symbol) {
  TENON_NEVER_NULL(symbol);
  return symbol->tag;
}

tenon_shape_env* tenon_symbol_env(const tenon_symbol* symbol) {
  TENON_NEVER_NULL(symbol);
  return static_cast<tenon_shape_env*>(symbol->owner);
}

tenon_status tenon_symbol_print(const tenon_symbol* symbol, tenon_buffer** out_text) {
  TENON_REQUIRE(out_text);
  TENON_REQUIRE(symbol, out_text);
  *out_text = nullptr;
  return guarded([&] {
    std::string text;
    symbol->owner->append_text(*symbol, text);
    *out_text = text_of(text);
  });
}

void tenon_symbol_hint(const tenon_symbol* symbol, tenon_value* out_hint) {
  TENON_NEVER_NULL(symbol);
  TENON_NEVER_NULL(out_hint);
  *out_hint = {};
  const Expression& expression = expression_in(symbol);
  if (!expression.is_backed) return;
  *out_hint = symbol->tag == TENON_TAG_SYMINT    ? tenon_value_of_int(expression.hint)
              : symbol->tag == TENON_TAG_SYMBOOL ? tenon_value_of_bool(expression.hint != 0)
                                                 : tenon_value_of_float(expression.real_hint);
}

tenon_status tenon_symbol_bounds(const tenon_symbol* symbol, int64_t* out_min, int64_t* out_max) {
  TENON_REQUIRE(out_min, out_max);
  TENON_REQUIRE(out_max, out_min);
  TENON_REQUIRE(symbol, out_min, out_max);
  *out_min = *out_max = 0;
  return guarded([&] {
    check_int("tenon_symbol_bounds", symbol);
    const auto bounds = tenon::symbol::env_of(*symbol).bounds(tenon::base::word_of(symbol));
    *out_min = bounds.low;
    *out_max = bounds.high;
  });
}

tenon_status tenon_symbol_evaluate(const tenon_symbol* symbol, const tenon_symbol* const* variables,
                                   const int64_t* numbers, int64_t count, int64_t* out_number) {
  TENON_REQUIRE(out_number);
  TENON_REQUIRE(symbol, out_number);
  *out_number = 0;
  return guarded([&] {
    constexpr const char* kEvaluate = "tenon_symbol_evaluate";
    check_int(kEvaluate, symbol);
    ShapeEnv& env = tenon::symbol::env_of(*symbol);
    const auto bindings = bindings_of(kEvaluate, env, variables, numbers, count);
    const auto number = env.evaluate(tenon::base::word_of(symbol), bindings);
    TENON_CHECK_ARG(number, kEvaluate,
                    ": numbers must be given for all variables and keep the result within 64 bits");
    *out_number = *number;
  });
}

tenon_status tenon_symbol_apply(uint32_t function, const tenon_value* args, int64_t nargs,
                                tenon_value* out_value) {
  TENON_REQUIRE(out_value);
  *out_value = {};
  return guarded([&] {
    TENON_CHECK_ARG(nargs >= 0 && (nargs == 0 || args != nullptr),
                    "tenon_symbol_apply: args must be given, got NULL for ", nargs);
    *out_value = tenon::symbol::apply(function, {args, static_cast<size_t>(nargs)});
  });
}

tenon_status tenon_symbol_guard(const tenon_value* value, const char* file, int32_t line,
                                tenon_value* out_concrete) {
  TENON_REQUIRE(out_concrete);
  *out_concrete = {};
  return guarded([&] {
    TENON_CHECK_ARG(value != nullptr, "tenon_symbol_guard: value must be given, got NULL");
    const bool has_symbols = (value->flags & TENON_VALUE_HAS_SYMBOLIC) != 0 ||
                             (value->tag >= TENON_TAG_SYMINT && value->tag <= TENON_TAG_SYMBOOL);
    if (!has_symbols || file == nullptr) {
      *out_concrete = tenon::symbol::concrete(*value, nullptr);
    } else {
      const GuardLocation place = given_location(file, line);
      *out_concrete = tenon::symbol::concrete(*value, &place);
    }
  });
}

int64_t tenon_dim_of_symbol(const tenon_symbol* symbol) { return tenon::base::word_of(symbol); }

tenon_status tenon_dim_apply(uint32_t function, int64_t a, int64_t b, int64_t* out_dim) {
  TENON_REQUIRE(out_dim);
  *out_dim = 0;
  return guarded([&] {
    constexpr const char* kApply = "tenon_dim_apply";
    TENON_CHECK_ARG(function <= TENON_SYMBOL_MIN, kApply,
                    ": function must be one of TENON_SYMBOL_ADD to MIN, got ", function);
    if (ShapeEnv* env = env_of_words(kApply, a, b)) {
      *out_dim = env->apply(function, a, b);
      return;
    }
    const auto number = tenon::symbol::calculate(function, a, b);
    TENON_CHECK_ARG(number && !tenon::base::is_symbol(*number), kApply, ": ", a, " ",
                    tenon::symbol::function_text(function), " ", b,
                    " must fit in 63 bits, got an overflow");
    *out_dim = *number;
  });
}

tenon_status tenon_dim_compare(uint32_t relation, int64_t a, int64_t b, int32_t* out_holds) {
  TENON_REQUIRE(out_holds);
  *out_holds = 0;
  return guarded([&] {
    constexpr const char* kCompare = "tenon_dim_compare";
    TENON_CHECK_ARG(tenon::symbol::is_relation(relation), kCompare,
                    ": relation must be one of TENON_SYMBOL_EQ to GE, got ", relation);
    ShapeEnv* env = env_of_words(kCompare, a, b);
    *out_holds = env != nullptr
                     ? env->decide(relation, a, b, tenon::symbol::DecisionMode::kOblivious, nullptr)
                     : tenon::symbol::holds(relation, a, b);
  });
}

tenon_status tenon_tensor_new_symbolic(const tenon_symbolic_options* options,
                                       tenon_tensor** out_tensor) {
  TENON_REQUIRE(out_tensor);
  *out_tensor = nullptr;
  return guarded([&] {
    constexpr const char* kNew = "tenon_tensor_new_symbolic";
    TENON_CHECK_ARG(options != nullptr, kNew, ": options must be given, got NULL");
    const auto whole = tenon::base::read_struct(kNew, kFirstOptions, *options);
    tenon::base::check_reserved(kNew, whole.reserved0, whole.reserved);
    TENON_CHECK_ARG(whole.flags == 0, kNew, ": flags must be 0, got ", whole.flags);
    TENON_CHECK_ARG(whole.ndim >= 0 && whole.ndim <= TENON_TENSOR_MAX_DIMS &&
                        (whole.ndim == 0 || whole.sizes != nullptr),
                    kNew, ": sizes must be ", whole.ndim, " words, at most ", TENON_TENSOR_MAX_DIMS,
                    ", got another number or NULL");
    *out_tensor = tenon::symbol::new_symbolic({whole.dtype,
                                               whole.device,
                                               whole.alias_of,
                                               {whole.sizes, static_cast<size_t>(whole.ndim)},
                                               whole.strides,
                                               whole.storage_offset})
                      .detach();
  });
}

void tenon_tensor_describe_words(const tenon_tensor* tensor, tenon_tensor_info* out_info) {
  TENON_NEVER_NULL(tensor);
  TENON_NEVER_NULL(out_info);
  tensor->describe(out_info);
  out_info->numel = tensor->numel_word();
}

tenon_status tenon_tensor_specialize(tenon_tensor* tensor, const char* argument) {
  TENON_REQUIRE(tensor);
  return guarded([&] {
    if (!tensor->is_symbolic()) return;
    GuardLocation place = GuardLocation::current();
    if (argument != nullptr) place.argument = argument;
    tenon::symbol::specialize(*tensor, &place);
  });
}

}  // extern "C"
