// SPDX-License-Identifier: Apache-2.0
// Implements aten::mse_loss, aten::l1_loss, aten::smooth_l1_loss and aten::huber_loss by calling
// other operators.
#include "kernels/ops/loss/regression_loss.h"

#include "kernels/common/call.h"
#include "kernels/common/cast_out.h"
#include "kernels/common/promotion.h"

namespace tenon::kernels::ops {
namespace {

using LossBound = std::optional<Scalar>;
constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> loss_product("aten::mul.Tensor");
constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Scalar&)> loss_difference(
    "aten::sub.Tensor");
constinit const LazyOp<Tensor(const Tensor&)> size_of_each("aten::abs");

// The difference of elements and target, in a dtype that keeps the precision of small floats.
struct LossDistance {
  Tensor values;
  Dtype dtype;  // of the result

  explicit LossDistance(const Call& call) {
    Tensor self = *call.get<Tensor>(0), target = *call.get<Tensor>(1);
    const Dtype of_both = self.dtype();
    const bool is_small = target.dtype() == of_both && is_half_precision(of_both);
    if (is_small) {
      self = cast(self, Dtype::F32);
      target = cast(target, Dtype::F32);
    }
    values = loss_difference(self, target, Scalar(1));
    dtype = is_small ? of_both : values.dtype();
  }

  void check_floating(const Call& call) const {
    if (!is_floating(dtype)) fail_dtype(call.op(), "self", dtype, "floating");
  }
};

// Returns the separate losses, their mean or their sum.
Tensor reduced_losses(const Call& call, Tensor losses, Dtype dtype) {
  using Reduction = LazyOp<Tensor(const Tensor&, std::optional<Dtype>)>;
  static constinit const Reduction mean("aten::mean");
  static constinit const Reduction sum("aten::sum");
  const auto reduction = call.get<int64_t>(2);
  if (reduction < 0 || reduction > 2) {
    fail_argument(call.op(), "reduction", "0 (none), 1 (mean) or 2 (sum)", reduction);
  }
  if (losses.dtype() != dtype) losses = cast(losses, dtype);
  if (reduction == 0) return losses;
  return (reduction == 1 ? mean : sum)(losses, std::nullopt);
}

// Returns a parabola around 0 that continues as lines from `bound`: bounded * (distance - bounded /
// 2). It has no branches in which the gradient could find infinities.
Tensor parabola_with_lines(const Tensor& distance, double bound) {
  static constinit const LazyOp<Tensor(const Tensor&, const LossBound&, const LossBound&)> clamp(
      "aten::clamp");
  const Tensor bounded = clamp(distance, Scalar(-bound), Scalar(bound));
  return loss_product(bounded, loss_difference(distance, bounded, Scalar(0.5)));
}

}  // namespace

void mse_loss(const Call& call) {
  const LossDistance distance(call);
  distance.check_floating(call);
  give_or_cast(
      call, reduced_losses(call, loss_product(distance.values, distance.values), distance.dtype));
}

void l1_loss(const Call& call) {
  const LossDistance distance(call);
  call.give(0, reduced_losses(call, size_of_each(distance.values), to_real(distance.dtype)));
}

void smooth_l1_loss(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, const Scalar&)> divided("aten::div.Scalar");
  const LossDistance distance(call);
  distance.check_floating(call);
  const auto beta = call.get<double>(3);
  if (!(beta >= 0)) fail_argument(call.op(), "beta", "0 or above", Scalar(beta));
  const Tensor losses = beta == 0
                            ? size_of_each(distance.values)
                            : divided(parabola_with_lines(distance.values, beta), Scalar(beta));
  give_or_cast(call, reduced_losses(call, losses, distance.dtype));
}

// The result has the dtype of `self`, even if the target's is higher.
void huber_loss(const Call& call) {
  const LossDistance distance(call);
  const Dtype dtype = call.get<Tensor>(0)->dtype();
  if (!is_floating(dtype)) fail_dtype(call.op(), "self", dtype, "floating");
  const auto delta = call.get<double>(3);
  if (!(delta > 0)) fail_argument(call.op(), "delta", "above 0", Scalar(delta));
  give_or_cast(call, reduced_losses(call, parabola_with_lines(distance.values, delta), dtype));
}

}  // namespace tenon::kernels::ops
