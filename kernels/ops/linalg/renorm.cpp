// SPDX-License-Identifier: Apache-2.0
// Implements aten::renorm by calling other operators.
#include "kernels/ops/linalg/renorm.h"

#include "kernels/common/promotion.h"
#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"

namespace tenon::kernels::ops {

void renorm(const Call& call) {
  using Norm =
      Tensor(const Tensor&, const Scalar&, std::optional<Sizes>, bool, std::optional<Dtype>);
  static constinit const LazyOp<Norm> vector_norm("aten::linalg_vector_norm");
  static constinit const LazyOp<Tensor(const Tensor&, const Scalar&)> larger("aten::gt.Scalar");
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Scalar&)> where(
      "aten::where.ScalarOther");
  const Tensor self = *call.get<Tensor>(0);
  const auto p = call.get<Scalar>(1), most = call.get<Scalar>(3);
  check_inexact(call.op(), "self", self.dtype());
  if (self.ndim() < 2) fail_argument(call.op(), "self", "have at least 2 dims", self.ndim());
  if (p.is_complex() || !(p.to_double() > 0)) fail_argument(call.op(), "p", "a number > 0", p);
  if (most.is_complex() || !(most.to_double() >= 0)) {
    fail_argument(call.op(), "maxnorm", "a number >= 0", most);
  }
  const int64_t dim = wrap_dim(call.op(), call.get<int64_t>(2), self.ndim());
  Dims others;
  for (int64_t d = 0; d < self.ndim(); ++d) {
    if (d != dim) others.push_back(d);
  }
  // Factors of small floats are floats, as in PyTorch.
  const Tensor norm = vector_norm(
      self, p, Sizes(others), true,
      is_half_precision(self.dtype()) ? std::optional<Dtype>(Dtype::F32) : std::nullopt);
  const double bound = most.to_double();
  const Tensor scale = call_mul(call_reciprocal(call_add(norm, 1e-7)), bound);
  const Tensor scaled = call_mul(self, where(larger(norm, most), scale, Scalar(1.0)));
  give_or_write(call, call_contiguous(cast(scaled, self.dtype())));
}

}  // namespace tenon::kernels::ops
