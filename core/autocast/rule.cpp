// SPDX-License-Identifier: Apache-2.0
#include "autocast/rule.h"

#include <memory>
#include <string>

#include "autocast/cast.h"
#include "base/check.h"
#include "dispatch/call_path.h"
#include "dispatch/kernel_guard.h"
#include "dispatch/key_tls.h"
#include "dispatch/lookup.h"
#include "dispatch/own_arguments.h"
#include "schema/schema.h"
#include "tensor/dtype.h"
#include "value/value.h"

namespace tenon::autocast {

namespace {

using dispatch::OwnArguments;
using tensor::Tensor;

constexpr const char* kNames[] = {"cast_to_lower_precision", "cast_to_float32",
                                  "ask_for_float32",         "call_overload_with_float32",
                                  "cast_to_widest",          "refuse_in_autocast",
                                  "cast_to_own_dtype"};

struct Rule {
  uint32_t kind;      // TENON_CAST_*
  tenon_dtype dtype;  // of TENON_CAST_TO
  std::string advice;
  // The overload that TENON_CAST_FP32_OVERLOAD calls, looked up by the first call. Never freed.
  mutable std::atomic<const tenon_op*> overload{nullptr};
};

int32_t device_type_of(tenon_key key) noexcept { return static_cast<int32_t>(key >> 8); }

bool is_enabled(const State* state, int32_t device_type) noexcept {
  return state != nullptr && (state->settings.enabled >> device_type & 1) != 0;
}

// Returns true if a call writes the tensor. Such a tensor must not be cast, because the write would
// go to the cast and be lost.
bool is_written(const tenon_op& op, const tenon_stack& stack, const Tensor& tensor) noexcept {
  constexpr uint32_t kLast = 63;  // this bit covers all later arguments, too
  uint64_t left = op.written.load(std::memory_order_relaxed);
  for (; left != 0; left &= left - 1) {
    const auto first = static_cast<uint32_t>(__builtin_ctzll(left));
    const uint32_t end = first == kLast ? stack.nargs : first + 1;
    for (uint32_t i = first; i < end && i < stack.nargs; ++i) {
      const tenon_value& arg = stack.args[i];
      if (arg.tag == TENON_TAG_TENSOR && arg.as.tensor == &tensor) return true;
      if (arg.tag != TENON_TAG_TENSOR_LIST) continue;
      for (uint32_t k = 0; k < arg.count; ++k) {
        if (value::tensors(arg)[k] == &tensor) return true;
      }
    }
  }
  return false;
}

tenon_status call_with_casts(const tenon_op* op, tenon_stack* stack, tenon_dtype dtype,
                             int32_t device_type) {
  OwnArguments own(*stack);
  own.replace_tensors([&](Tensor& tensor) {
    return is_written(*op, *stack, tensor) ? tensor::TensorPtr() : cast(tensor, dtype, device_type);
  });
  tenon_stack inner = own.stack_for(*stack);
  return dispatch::call(op, &inner);
}

bool is_first_eligible(const tenon_stack& stack, int32_t device_type) noexcept {
  if (stack.nargs == 0) return false;
  const tenon_value& first = stack.args[0];
  return first.tag == TENON_TAG_TENSOR && first.as.tensor != nullptr &&
         is_eligible(*first.as.tensor, device_type);
}

bool is_dtype_argument(const schema::Argument& argument) noexcept {
  return argument.name.view() == "dtype";
}

tenon_status call_with_dtype(const tenon_op* op, tenon_stack* stack, int32_t device_type) {
  OwnArguments own(*stack);
  tenon_stack inner = own.stack_for(*stack);
  if (is_first_eligible(*stack, device_type)) {
    const schema::SchemaPtr schema = dispatch::schema_of_call(*op, *stack);
    const auto& arguments = schema->arguments();
    for (uint32_t i = 0; i < inner.nargs && i < arguments.size(); ++i) {
      if (is_dtype_argument(arguments[i]) && inner.args[i].tag == TENON_TAG_NONE) {
        inner.args[i] = tenon_value_of_dtype(TENON_DTYPE_F32);
      }
    }
  }
  return dispatch::call(op, &inner);
}

// Returns the overload that has the operator's arguments, followed by a dtype.
const tenon_op* find_overload_with_dtype(const tenon_op& op, const tenon_stack& stack) {
  const schema::SchemaPtr own = dispatch::schema_of_call(op, stack);
  const size_t count = own->arguments().size();
  for (const tenon_op* each : dispatch::find_overloads(op.base_name())) {
    const schema::SchemaPtr other = dispatch::schema_of(*each);
    if (other == nullptr || other->arguments().size() != count + 1) continue;
    bool fits = is_dtype_argument(other->arguments()[count]) && !other->is_mutable();
    for (size_t i = 0; fits && i < count; ++i) {
      fits = other->arguments()[i].name.view() == own->arguments()[i].name.view();
    }
    if (fits) return each;
  }
  fail(TENON_ERROR_NOT_FOUND, op.name(),
       ": operator must have an overload with the same arguments and a trailing dtype, which its "
       "cast rule calls, got none");
}

tenon_status call_overload(const Rule& rule, const tenon_op* op, tenon_stack* stack,
                           int32_t device_type) {
  const tenon_op* overload = rule.overload.load(std::memory_order_acquire);
  if (overload == nullptr) {
    overload = find_overload_with_dtype(*op, *stack);
    rule.overload.store(overload, std::memory_order_release);
  }
  tenon_dtype dtype = TENON_DTYPE_F32;
  const bool is_tensor = stack->nargs != 0 && stack->args[0].tag == TENON_TAG_TENSOR;
  if (is_tensor && !is_first_eligible(*stack, device_type)) {
    dtype = stack->args[0].as.tensor->dtype();
  }
  base::SmallVector<tenon_value, 8> args(std::span<const tenon_value>(stack->args, stack->nargs));
  for (tenon_value& arg : args) arg.flags &= static_cast<uint16_t>(~TENON_VALUE_MOVABLE);
  args.push_back(tenon_value_of_dtype(dtype));
  tenon_stack inner = *stack;
  inner.args = args.data();
  inner.nargs = static_cast<uint32_t>(args.size());
  return dispatch::call(overload, &inner);
}

tenon_status call_cast(const Rule& rule, const tenon_op* op, tenon_stack* stack,
                       int32_t device_type) {
  const auto guard = dispatch::KeyGuard::exclude(kAutocast);
  switch (rule.kind) {
    case TENON_CAST_LOWER:
      return call_with_casts(op, stack, lower_precision(device_type), device_type);
    case TENON_CAST_FP32:
      return call_with_casts(op, stack, TENON_DTYPE_F32, device_type);
    case TENON_CAST_FP32_DTYPE:
      return call_with_dtype(op, stack, device_type);
    case TENON_CAST_FP32_OVERLOAD:
      return call_overload(rule, op, stack, device_type);
    case TENON_CAST_PROMOTE: {
      const std::span<const tenon_value> args(stack->args, stack->nargs);
      const tenon_dtype dtype =
          promote(op->name(), lower_precision(device_type), args, device_type);
      return call_with_casts(op, stack, dtype, device_type);
    }
    case TENON_CAST_TO:
      return call_with_casts(op, stack, rule.dtype, device_type);
    default:
      fail(TENON_ERROR_NOT_SUPPORTED, op->name(),
           ": operator must not be called in an autocast region of ",
           tensor::device_type_name(device_type), rule.advice.empty() ? "" : "; ", rule.advice);
  }
}

tenon_status run_rule(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  const int32_t device_type = device_type_of(dispatch::highest_key(keys));
  // The thread is in a region of other device types only: skip the rule, without excluding Autocast
  // for the calls that the kernel makes.
  if (!is_enabled(thread_state(), device_type)) {
    return dispatch::redispatch(op, keys & (kAutocast - 1), stack);
  }
  return dispatch::guard_kernel(
      stack, [&] { return call_cast(*static_cast<const Rule*>(ctx), op, stack, device_type); });
}

std::string what_is_done(const Rule& rule, tenon_dtype lower) {
  using base::concat;
  switch (rule.kind) {
    case TENON_CAST_LOWER:
      return concat("eligible arguments are cast to ", tensor::dtype_name(lower),
                    ", the region's lower precision");
    case TENON_CAST_FP32:
      return "eligible arguments are cast to float32";
    case TENON_CAST_FP32_DTYPE:
      return "dtype=float32 is passed unless a dtype is given";
    case TENON_CAST_FP32_OVERLOAD:
      return "the overload with a dtype is called with float32 instead";
    case TENON_CAST_PROMOTE:
      return concat("eligible arguments are cast to the widest of their dtypes, ",
                    tensor::dtype_name(lower), " or float32");
    case TENON_CAST_TO:
      return concat("eligible arguments are cast to ", tensor::dtype_name(rule.dtype));
    default:
      return "the call fails in the region";
  }
}

dispatch::Explanation explain_rule(const void* ctx, tenon_key key, const dispatch::Arguments*) {
  const int32_t device_type = device_type_of(key);
  const char* device = tensor::device_type_name(device_type);
  if (!is_enabled(thread_state(), device_type)) {
    return {base::concat("no autocast region of ", device, " is on: it redispatches"), false};
  }
  const auto& rule = *static_cast<const Rule*>(ctx);
  const bool ends = rule.kind == TENON_CAST_BANNED || rule.kind == TENON_CAST_FP32_OVERLOAD;
  return {base::concat("in the autocast region of ", device, ", ",
                       what_is_done(rule, lower_precision(device_type)),
                       ends ? "" : ", and the operator is called again without Autocast"),
          ends};
}

}  // namespace

dispatch::RegistrationPtr register_rule(dispatch::Library* library, std::string_view name,
                                        const tenon_cast_rule& given) {
  constexpr const char* kFunction = "tenon_library_register_autocast";
  TENON_CHECK_ARG(given.kind <= TENON_CAST_TO, kFunction, ": ", name,
                  ": kind must be a TENON_CAST_* number, got ", given.kind);
  if (given.device_type != -1) check_device_type(kFunction, given.device_type);
  if (given.kind == TENON_CAST_TO) check_dtype(kFunction, given.dtype);
  TENON_CHECK_ARG(given.advice == nullptr || given.kind == TENON_CAST_BANNED, kFunction, ": ", name,
                  ": advice must be NULL unless kind is TENON_CAST_BANNED, got a text");
  auto rule = std::make_unique<Rule>();
  rule->kind = given.kind;
  rule->dtype = given.dtype;
  if (given.advice != nullptr) rule->advice = given.advice;
  tenon_kernel description{};
  description.struct_size = sizeof description;
  description.boxed = &run_rule;
  description.ctx = rule.release();  // owned by the kernel, even on failure
  description.deleter = [](void* ctx) { delete static_cast<Rule*>(ctx); };
  description.language = given.language;
  description.policy = given.policy;
  description.name = kNames[given.kind];
  description.file = given.file;
  description.line = given.line;
  const tenon_key key = given.device_type < 0 ? TENON_KEY_AUTOCAST
                                              : TENON_KEY_AUTOCAST_CPU |
                                                    static_cast<tenon_key>(given.device_type) << 8;
  dispatch::KernelPtr kernel = dispatch::make_kernel(description);
  kernel->passes_on = true;
  return dispatch::implement(library, name, key, std::move(kernel));
}

dispatch::ExplainedKernel explained_kernel() noexcept { return {&run_rule, &explain_rule}; }

}  // namespace tenon::autocast
