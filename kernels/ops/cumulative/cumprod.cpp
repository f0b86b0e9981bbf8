// SPDX-License-Identifier: Apache-2.0
// The result of aten::cumprod, and its gradient.
#include "kernels/ops/cumulative/cumprod.h"

#include "kernels/common/promotion.h"
#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/calls.h"

namespace tenon::kernels::ops {
namespace {

Tensor sums_from_behind(const Tensor& tensor, int64_t dim) {
  static constinit const LazyOp<Tensor(const Tensor&, Sizes)> flip("aten::flip");
  const int64_t dims[] = {dim};
  return flip(call_cumsum(flip(tensor, dims), dim), dims);
}

}  // namespace

void cumprod_meta(const Call& call) {
  int64_t dim;
  Tensor result = running_result(call, dim);
  if (call.form.is_functional()) call.give(0, std::move(result));
}

// Before the first zero of a line, products are divided by the element. The gradient of the first
// zero is that of the products without it, up to the next zero. All later gradients are zero.
void cumprod_backward(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, std::optional<Dtype>)> products(
      "aten::cumprod");
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> both("aten::logical_and");
  const Tensor grad = *call.get<Tensor>(0), result = *call.get<Tensor>(3);
  Tensor self = *call.get<Tensor>(1);
  if (self.dtype() != result.dtype()) self = cast(self, result.dtype());
  const int64_t dim = wrap_dim(call.op(), call.get<int64_t>(2), self.ndim());
  if (self.ndim() == 0 || numel_of(self) == 0) return call.give(0, call_mul(grad, Scalar(1)));
  const Tensor is_zero = call_eq(self, Scalar(0));
  // Number of zeros up to and including each element.
  const Tensor zeros = call_cumsum(is_zero, dim);
  const Tensor is_before = call_eq(zeros, Scalar(0)), is_after_one = call_eq(zeros, Scalar(1));
  const Tensor is_first = both(is_zero, is_after_one);
  const Tensor terms =
      call_masked_fill(call_mul(grad, call_conj(result)), call_logical_not(is_before), Scalar(0));
  const Tensor divisor = call_conj(call_masked_fill(self, call_logical_not(is_before), Scalar(1)));
  const Tensor before = call_masked_fill(call_div(sums_from_behind(terms, dim), divisor),
                                         call_logical_not(is_before), Scalar(0));
  const Tensor without = products(call_masked_fill(self, is_first, Scalar(1)), dim, std::nullopt);
  const int64_t dims[] = {dim};
  const Tensor of_first = call_sum(call_masked_fill(call_mul(grad, call_conj(without)),
                                                    call_logical_not(is_after_one), Scalar(0)),
                                   dims, true);
  call.give(0, call_where(is_first, of_first, before));
}

}  // namespace tenon::kernels::ops
