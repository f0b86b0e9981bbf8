// SPDX-License-Identifier: Apache-2.0
// The result of aten::logcumsumexp, and its gradient.
#include "kernels/ops/cumulative/logcumsumexp.h"

#include "kernels/common/overlap.h"
#include "kernels/common/promotion.h"
#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/calls.h"

namespace tenon::kernels::ops {

Tensor logcumsumexp_result(const Call& call, int64_t& dim) {
  const tenon_tensor_info self = call.get<Tensor>(0)->info();
  check_defined(call.op(), "self", self);
  const Dtype dtype = dtype_of_info(self);
  if (!has(kFloats | kComplex, static_cast<tenon_dtype>(dtype)))
    fail_dtype(call.op(), "self", dtype, "floating or complex");
  dim = wrap_dim(call.op(), call.get<int64_t>(1), self.ndim);
  Tensor result = result_for(call, sizes_of(self), dtype, Device(self.device));
  if (!call.form.is_functional()) check_no_partial_overlap(call.op(), result.info(), self);
  return result;
}

void logcumsumexp_meta(const Call& call) {
  int64_t dim;
  Tensor result = logcumsumexp_result(call, dim);
  if (call.form.is_functional()) call.give(0, std::move(result));
}

namespace {

// Weights of elements relative to the largest of their line, and the reciprocals of their running
// sums. They are computed in double, whose exp() reaches down to exp(-700), which is just
// sufficient. An element whose weight is 0 has no derivative.
struct SumWeights {
  Tensor weights;
  Tensor inverse;
};
SumWeights shares_of(const Tensor& self, int64_t dim) {
  static constinit const LazyOp<Tensor(const Tensor&)> detach("aten::detach"),
      exponential("aten::exp"), is_infinite("aten::isinf");
  const bool has_angles = is_complex(self.dtype());
  const Tensor wide = cast(self, has_angles ? Dtype::C128 : Dtype::F64);
  const int64_t dims[] = {dim};
  const Tensor sizes = detach(wide);
  Tensor most = call_amax(has_angles ? call_real(sizes) : sizes, dims, true);
  most = call_masked_fill(most, is_infinite(most), Scalar(0));
  const Tensor weights = exponential(call_sub(wide, most));
  const Tensor sums = call_cumsum(weights, dim);
  const Tensor is_none = call_eq(sums, Scalar(0));
  const Tensor inverse = call_reciprocal(call_masked_fill(sums, is_none, Scalar(1)));
  return {weights, call_masked_fill(inverse, is_none, Scalar(0))};
}

}  // namespace

// Returns for each element the sum of grad * exp(self - result) over all elements from it on.
void logcumsumexp_backward(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, Sizes)> flip("aten::flip");
  const Tensor grad = *call.get<Tensor>(0), self = *call.get<Tensor>(1);
  const auto dim = call.get<int64_t>(2);
  if (numel_of(self) == 0 || self.ndim() == 0) return call.give(0, call_mul(grad, Scalar(1)));
  const auto [weights, inverse] = shares_of(self, dim);
  const int64_t dims[] = {dim};
  const Tensor shares = call_mul(grad, call_conj(inverse));
  const Tensor sums = flip(call_cumsum(flip(shares, dims), dim), dims);
  call.give(0, cast(call_mul(call_conj(weights), sums), self.dtype()));
}

void logcumsumexp_tangent(const Call& call) {
  const Tensor tangent = *call.get<Tensor>(0), self = *call.get<Tensor>(1);
  const auto dim = call.get<int64_t>(2);
  if (numel_of(self) == 0 || self.ndim() == 0) return call.give(0, Tensor(tangent));
  const auto [weights, inverse] = shares_of(self, dim);
  const Tensor sums = call_cumsum(call_mul(weights, tangent), dim);
  call.give(0, cast(call_mul(sums, inverse), self.dtype()));
}

}  // namespace tenon::kernels::ops
