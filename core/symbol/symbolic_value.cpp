// SPDX-License-Identifier: Apache-2.0
#include "symbol/symbolic_value.h"

#include <algorithm>

#include "base/check.h"
#include "symbol/function.h"
#include "tenon/symbol.h"

namespace tenon::symbol {

namespace {

constexpr const char* kApply = "tenon_symbol_apply";

// The operands of a function, and the environment of their symbols (NULL: no operand is a symbol).
class Arguments {
 public:
  Arguments(uint32_t function, std::span<const tenon_value> args) {
    const bool is_unary = function == TENON_SYMBOL_NOT || function == TENON_SYMBOL_SQRT ||
                          function == TENON_SYMBOL_FLOAT;
    const size_t wanted = is_unary ? 1 : 2;
    TENON_CHECK_ARG(args.size() == wanted, kApply, ": ", function_text(function), " takes ", wanted,
                    " arguments, got ", args.size());
    const bool of_truths = function >= TENON_SYMBOL_AND;
    for (size_t k = 0; k < args.size(); ++k) operands_[k] = operand_of(args[k], of_truths);
    TENON_CHECK_ARG(env_ == nullptr || !base::is_symbol(least_), kApply,
                    ": a number in an expression with symbols must be -2^62 or more, got ", least_);
  }

  const Operand& operator[](size_t k) const noexcept { return operands_[k]; }
  ShapeEnv* env() const noexcept { return env_; }
  bool has_floats() const noexcept { return has_floats_; }

 private:
  Operand operand_of(const tenon_value& value, bool is_truth) {
    switch (value.tag) {
      case TENON_TAG_BOOL:
      case TENON_TAG_INT:
        if (is_truth && value.tag != TENON_TAG_BOOL) break;
        least_ = std::min(least_, value.as.i);
        return {value.as.i};
      case TENON_TAG_FLOAT:
        if (is_truth) break;
        has_floats_ = true;
        return {0, value.as.f, true};
      case TENON_TAG_SYMINT:
      case TENON_TAG_SYMFLOAT:
      case TENON_TAG_SYMBOOL:
        if (is_truth != (value.tag == TENON_TAG_SYMBOOL)) break;
        TENON_CHECK_ARG(value.as.symbol != nullptr, kApply, ": symbol must be a handle, got NULL");
        return {word_of(*value.as.symbol)};
      default:
        break;
    }
    fail(TENON_ERROR_TYPE, kApply, ": arguments must be ", is_truth ? "bools" : "ints or floats",
         ", got ", value::tag_name(value.tag));
  }

  Word word_of(const tenon_symbol& symbol) {
    ShapeEnv& env = env_of(symbol);
    TENON_CHECK_ARG(env_ == nullptr || env_ == &env, kApply,
                    ": symbols must be of one shape environment, got two");
    env_ = &env;
    has_floats_ = has_floats_ || symbol.tag == TENON_TAG_SYMFLOAT;
    return base::word_of(&symbol);
  }

  Operand operands_[2];
  int64_t least_ = 0;  // smallest of the ints
  ShapeEnv* env_ = nullptr;
  bool has_floats_ = false;
};

tenon_value owned_symbol(Word word) noexcept {
  tenon_symbol* symbol = base::symbol_of(word);
  symbol->retain();
  tenon_value value{};
  value.tag = symbol->tag;
  value.flags = TENON_VALUE_OWNED;
  value.as.symbol = symbol;
  return value;
}

tenon_value truth_value(Word word) noexcept {
  return base::is_symbol(word) ? owned_symbol(word) : tenon_value_of_bool(word != 0);
}

tenon_value real_value(uint32_t function, const Arguments& args) {
  const auto number = [&](size_t k) {
    return args[k].is_float ? args[k].number : static_cast<double>(args[k].word);
  };
  if (args.env() != nullptr) {
    return owned_symbol(args.env()->apply_real(function, args[0], args[1]).word);
  }
  if (is_relation(function)) return tenon_value_of_bool(holds(function, number(0), number(1)));
  TENON_CHECK_ARG(function != TENON_SYMBOL_TRUEDIV || number(1) != 0, kApply,
                  ": divisor must not be 0");
  return tenon_value_of_float(calculate_real(function, number(0), number(1)));
}

}  // namespace

tenon_value value_of_word(Word word) noexcept {
  return base::is_symbol(word) ? owned_symbol(word) : tenon_value_of_int(word);
}

tenon_value apply(uint32_t function, std::span<const tenon_value> values) {
  TENON_CHECK_ARG(function_text(function) != nullptr, kApply,
                  ": function must be one of TENON_SYMBOL_*, got ", function);
  const Arguments args(function, values);
  const Word a = args[0].word;
  const Word b = args[1].word;
  ShapeEnv* env = args.env();
  if (function >= TENON_SYMBOL_AND) {
    if (env != nullptr) return truth_value(env->connect(function, a, b));
    return tenon_value_of_bool(calculate(function, a, b) != 0);
  }
  const bool gives_float = function >= TENON_SYMBOL_TRUEDIV && function <= TENON_SYMBOL_FLOAT;
  if (args.has_floats() || gives_float) return real_value(function, args);
  if (is_relation(function)) {
    if (env != nullptr) return truth_value(env->relate(function, a, b));
    return tenon_value_of_bool(holds(function, a, b));
  }
  if (env != nullptr) return value_of_word(env->apply(function, a, b));
  const auto result = calculate(function, a, b);
  TENON_CHECK_ARG(result, kApply, ": ", a, " ", function_text(function), " ", b,
                  " must fit in 64 bits, got an overflow");
  return tenon_value_of_int(*result);
}

tenon_value concrete(const tenon_value& value, const GuardLocation* place) {
  if (value.tag == TENON_TAG_INT_LIST && (value.flags & TENON_VALUE_HAS_SYMBOLIC) != 0) {
    const auto* words = static_cast<const int64_t*>(value.as.list.data);
    std::vector<int64_t> numbers(words, words + value.count);
    for (int64_t& word : numbers) {
      if (base::is_symbol(word)) word = env_of(*base::symbol_of(word)).specialize(word, place);
    }
    return value::new_list(TENON_TAG_INT_LIST, numbers.data(), value.count);
  }
  if (value.tag < TENON_TAG_SYMINT || value.tag > TENON_TAG_SYMBOOL) return value::copy(value);
  TENON_CHECK_ARG(value.as.symbol != nullptr,
                  "tenon_symbol_guard: symbol must be a handle, got NULL");
  const auto& expression = static_cast<const Expression&>(*value.as.symbol);
  ShapeEnv& env = env_of(expression);
  switch (value.tag) {
    case TENON_TAG_SYMINT:
      return tenon_value_of_int(env.specialize(base::word_of(&expression), place));
    case TENON_TAG_SYMFLOAT:
      return tenon_value_of_float(env.specialize_real(expression, place));
    default:
      return tenon_value_of_bool(env.decide(expression, place));
  }
}

}  // namespace tenon::symbol
