// SPDX-License-Identifier: Apache-2.0
// The routine of folds: builds a plan from arguments and facts, and passes it to the device.
#include "kernels/common/families/fold.h"

namespace tenon::kernels {
namespace {

// Returns the `dim` argument, which is an int or a list; nullopt if it is absent.
std::optional<Sizes> given_dims(const Call& call) {
  if (call.form.dim < 0) return std::nullopt;
  const tenon_value& value = call.args[call.form.dim];
  switch (value.tag) {
    case TENON_TAG_NONE:
      return std::nullopt;
    case TENON_TAG_INT:
      return Sizes(&value.as.i, 1);
    case TENON_TAG_INT_LIST:
      return Sizes(static_cast<const int64_t*>(value.as.list.data), value.count);
    case TENON_TAG_LIST:
      if (value.count == 0) return Sizes();
      [[fallthrough]];
    default:
      fail(TENON_ERROR_TYPE,
           {call.op(), ": dim must be int or int[], got ", tenon_tag_name(value.tag)});
  }
}

// Returns the dims to fold; nullopt for all. An empty list also means all, except for some
// operators.
std::optional<Sizes> dims_of(const Call& call) {
  const std::optional<Sizes> dims = given_dims(call);
  const bool is_all = dims && dims->empty() && !call.facts().fold.folds_none_of_no_dims;
  return is_all ? std::nullopt : dims;
}

bool keepdim_of(const Call& call) {
  if (call.form.keepdim < 0) return false;
  const tenon_value& value = call.args[call.form.keepdim];
  if (value.tag != TENON_TAG_BOOL) [[unlikely]] {
    fail(TENON_ERROR_TYPE, {call.op(), ": keepdim must be bool, got ", tenon_tag_name(value.tag)});
  }
  return value.as.i != 0;
}

// Returns the dtype of the `dtype` argument, or of the caller's `out`.
std::optional<Dtype> asked_dtype(const Call& call) {
  if (call.form.dtype < 0) return std::nullopt;
  const tenon_value& value = call.args[call.form.dtype];
  if (value.tag == TENON_TAG_NONE) {
    // `out` does not request a dtype for a sum of all elements, whose dtype is fixed, nor for a
    // fold with a real result, where elements may be complex although `out` is real.
    const FoldGives gives = call.facts().fold.gives;
    const bool is_fixed =
        (gives == FoldGives::Sum && call.form.dim < 0) || gives == FoldGives::Real;
    if (call.form.is_functional() || is_fixed) return std::nullopt;
    const Dtype own = TensorRef(call.written())->dtype();
    const Dtype given = TensorRef(call.tensor(0))->dtype();
    if (call.form.dim < 0 && is_complex(given) && !is_complex(own)) {
      fail_argument(call.op(), call.form.names[call.form.written], "complex like self", own);
    }
    return own;
  }
  if (value.tag != TENON_TAG_DTYPE && value.tag != TENON_TAG_INT) {
    fail(TENON_ERROR_TYPE,
         {call.op(), ": dtype must be ScalarType, got ", tenon_tag_name(value.tag)});
  }
  return call.get<Dtype>(call.form.dtype);
}

// Returns the dtype to read elements in: the requested one, or the input's.
Dtype element_dtype_of(const Call& call, const Reduction& plan, std::optional<Dtype> asked) {
  const FoldFacts& facts = call.facts().fold;
  const Dtype own = plan.input_dtype();
  const Dtype dtype = asked.value_or(own);
  if (!has(facts.types, static_cast<tenon_dtype>(dtype))) {
    const bool given = asked && call.args[call.form.dtype].tag != TENON_TAG_NONE;
    if (facts.refusal != nullptr) {
      fail_dtype(call.op(), given ? "dtype" : "self", dtype, facts.refusal);
    }
    fail_dtype(call.op(), given ? "dtype" : "self", dtype, names_of(facts.types));
  }
  return dtype;
}

void run_fold(const Call& call) {
  const FoldFacts& facts = call.facts().fold;
  Reduction plan(call.op());
  plan.input(call.tensor(0), dims_of(call));
  const std::optional<Dtype> asked = asked_dtype(call);
  Dtype read = element_dtype_of(call, plan, asked);
  if (facts.needs_elements) plan.require_elements();
  Dtype result = read;
  if (facts.gives == FoldGives::Sum && is_bool_or_integral(plan.input_dtype())) {
    if (!asked) result = Dtype::I64;
    // Sums of narrow integers accumulate in int64 anyway, so the elements need no cast.
    if (result == Dtype::I64) read = plan.input_dtype();
  }
  if (facts.gives == FoldGives::Truth && read != Dtype::U8) result = Dtype::Bool;
  if (facts.gives == FoldGives::Real) result = to_real(read);
  const bool keepdim = keepdim_of(call);
  const int results = facts.gives == FoldGives::ValueAndIndex ? 2 : 1;
  for (int k = 0; k < results; ++k) {
    const bool index = facts.gives == FoldGives::Index || k == 1;
    const int out = call.form.written + k;
    plan.result(index ? Dtype::I64 : result, keepdim, call.written(k),
                call.form.is_functional() ? "" : call.form.names[out]);
  }
  if (const auto* kernel = static_cast<const FoldKernel*>(call.form.kernel)) {
    kernel->run(*kernel, plan, call, static_cast<tenon_dtype>(read));
  }
  if (!call.form.is_functional()) return;
  for (int k = 0; k < results; ++k) call.give(k, plan.take_result(k));
}

}  // namespace

constinit const Family kFold{.name = "meta", .run = &run_fold, .key = TENON_KEY_META, .leaf = true};

}  // namespace tenon::kernels
