// SPDX-License-Identifier: Apache-2.0
// Implements aten::softmax and aten::log_softmax by calling other operators, and allocates the
// results of the operators that they call.
#include "kernels/ops/activation/softmax.h"

#include "kernels/common/maths/element.h"
#include "kernels/common/overlap.h"
#include "kernels/common/promotion.h"

namespace tenon::kernels {
namespace {

using Softmax = LazyOp<Tensor(const Tensor&, int64_t, bool)>;

constexpr const char* kFloating = "floating, or dtype must be given as a floating dtype";

// Calls a softmax operator with the input in the requested dtype, which the operator keeps.
void run_softmax(const Call& call, const Softmax& softmax) {
  const Tensor self = *call.get<Tensor>(0);
  const Dtype dtype = call.get<std::optional<Dtype>>(2).value_or(self.dtype());
  const bool floats = has(kFloats, static_cast<tenon_dtype>(dtype));
  if (!floats) fail_dtype(call.op(), "self", dtype, kFloating);
  const int64_t dim = wrap_dim(call.op(), call.get<int64_t>(1), self.ndim());
  call.give(0, softmax(self.dtype() == dtype ? self : cast(self, dtype), dim, false));
}

// Allocates a row-major result, whatever the input's layout.
Tensor result_of(const Call& call, const tenon_tensor_info& like) {
  return result_for(call, sizes_of(like), dtype_of_info(like), Device(like.device));
}

}  // namespace

SoftmaxPlan softmax_plan(const Call& call) {
  const tenon_tensor_info self = call.get<Tensor>(0)->info();
  check_dtype(call.op(), "self", dtype_of_info(self), FloatTypes());
  const int64_t dim = wrap_dim(call.op(), call.get<int64_t>(1), self.ndim);
  if (call.get<bool>(2)) {
    fail(TENON_ERROR_NOT_SUPPORTED, {call.op(), ": half_to_float must be False, got True"});
  }
  SoftmaxPlan plan{result_of(call, self), dim};
  if (!call.form.is_functional()) check_no_partial_overlap(call.op(), plan.result.info(), self);
  return plan;
}

SoftmaxPlan softmax_backward_plan(const Call& call) {
  const tenon_tensor_info grad = call.get<Tensor>(0)->info();
  const tenon_tensor_info output = call.get<Tensor>(1)->info();
  check_dtype(call.op(), "grad_output", dtype_of_info(grad), FloatTypes());
  if (!std::ranges::equal(sizes_of(grad), sizes_of(output)) || grad.dtype != output.dtype) {
    fail(
        TENON_ERROR_INVALID_ARGUMENT,
        {call.op(), ": grad_output must have the sizes and the dtype of output, ", sizes_of(output),
         " and ", dtype_of_info(output), ", got ", sizes_of(grad), " and ", dtype_of_info(grad)});
  }
  const auto dtype = call.get<Dtype>(3);
  if (dtype != dtype_of_info(grad)) {
    fail_dtype(call.op(), "input_dtype", dtype, "the dtype of grad_output");
  }
  const int64_t dim = wrap_dim(call.op(), call.get<int64_t>(2), grad.ndim);
  SoftmaxPlan plan{result_of(call, grad), dim};
  if (!call.form.is_functional()) {
    check_no_partial_overlap(call.op(), plan.result.info(), grad);
    check_no_partial_overlap(call.op(), plan.result.info(), output);
  }
  return plan;
}

namespace ops {

void softmax(const Call& call) {
  static constinit const Softmax whole("aten::_softmax");
  run_softmax(call, whole);
}

void log_softmax(const Call& call) {
  static constinit const Softmax logarithms("aten::_log_softmax");
  run_softmax(call, logarithms);
}

void softmax_meta(const Call& call) {
  SoftmaxPlan plan = softmax_plan(call);
  if (call.form.is_functional()) call.give(0, std::move(plan.result));
}

void softmax_backward_meta(const Call& call) {
  SoftmaxPlan plan = softmax_backward_plan(call);
  if (call.form.is_functional()) call.give(0, std::move(plan.result));
}

}  // namespace ops

}  // namespace tenon::kernels
