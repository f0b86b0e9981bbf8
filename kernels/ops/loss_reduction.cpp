// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/loss_reduction.h"

#include "kernels/common/check.h"

namespace tenon::kernels {

Tensor reduced(const Call& call, int k, const Tensor& losses) {
  using Reduction = LazyOp<Tensor(const Tensor&, std::optional<Dtype>)>;
  static constinit const Reduction mean("aten::mean");
  static constinit const Reduction sum("aten::sum");
  const auto reduction = call.get<int64_t>(k);
  if (reduction < 0 || reduction > 2) {
    fail_argument(call.op(), "reduction", "0 (none), 1 (mean) or 2 (sum)", reduction);
  }
  if (reduction == 0) return losses;
  return (reduction == 1 ? mean : sum)(losses, std::nullopt);
}

Tensor call_mul(const Tensor& a, const Tensor& b) {
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> op("aten::mul.Tensor");
  return op(a, b);
}
Tensor call_mul(const Tensor& a, double b) {
  static constinit const LazyOp<Tensor(const Tensor&, const Scalar&)> op("aten::mul.Scalar");
  return op(a, Scalar(b));
}
Tensor call_add(const Tensor& a, const Tensor& b) {
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Scalar&)> op(
      "aten::add.Tensor");
  return op(a, b, Scalar(1));
}
Tensor call_add(const Tensor& a, double b) {
  static constinit const LazyOp<Tensor(const Tensor&, const Scalar&, const Scalar&)> op(
      "aten::add.Scalar");
  return op(a, Scalar(b), Scalar(1));
}
Tensor call_sub(const Tensor& a, const Tensor& b) {
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Scalar&)> op(
      "aten::sub.Tensor");
  return op(a, b, Scalar(1));
}
Tensor call_rsub(double b, const Tensor& a) {
  static constinit const LazyOp<Tensor(const Tensor&, const Scalar&, const Scalar&)> op(
      "aten::rsub.Scalar");
  return op(a, Scalar(b), Scalar(1));
}
Tensor call_div(const Tensor& a, const Tensor& b) {
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> op("aten::div.Tensor");
  return op(a, b);
}
Tensor call_clamp_min(const Tensor& a, double bound) {
  static constinit const LazyOp<Tensor(const Tensor&, const Scalar&)> op("aten::clamp_min");
  return op(a, Scalar(bound));
}
Tensor call_neg(const Tensor& a) {
  static constinit const LazyOp<Tensor(const Tensor&)> op("aten::neg");
  return op(a);
}
Tensor call_sum(const Tensor& a, int64_t dim, bool keepdim) {
  static constinit const LazyOp<Tensor(const Tensor&, std::optional<Sizes>, bool,
                                       std::optional<Dtype>)>
      op("aten::sum.dim_IntList");
  const int64_t dims[] = {dim};
  return op(a, Sizes(dims), keepdim, std::nullopt);
}

}  // namespace tenon::kernels
