// SPDX-License-Identifier: Apache-2.0
// Implements aten::margin_ranking_loss and similar operators by calling other operators.
#include "kernels/ops/loss/margin_loss.h"

#include "kernels/ops/calls.h"
#include "kernels/ops/loss/loss_reduction.h"

namespace tenon::kernels::ops {

namespace {

// Returns the elements whose target is not `number`, and 0 for others.
Tensor unless_target(const Tensor& target, int64_t number, const Tensor& elements) {
  static constinit const LazyOp<Tensor(const Tensor&, const Scalar&)> eq("aten::eq.Scalar");
  static constinit const LazyOp<Tensor(const Tensor&, const Scalar&, const Tensor&)> where(
      "aten::where.ScalarSelf");
  return where(eq(target, Scalar(number)), Scalar(0.0), elements);
}

}  // namespace

void margin_ranking_loss(const Call& call) {
  const Tensor first = *call.get<Tensor>(0), second = *call.get<Tensor>(1),
               target = *call.get<Tensor>(2);
  if (first.ndim() != second.ndim() || first.ndim() != target.ndim()) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": input1, input2 and target must have the same number of dims, got sizes ",
          first.sizes(), ", ", second.sizes(), " and ", target.sizes()});
  }
  const Tensor apart = call_mul(call_neg(target), call_sub(first, second));
  call.give(0, reduced(call, 4, call_clamp_min(call_add(apart, call.get<double>(3)), 0)));
}

void hinge_embedding_loss(const Call& call) {
  const Tensor self = *call.get<Tensor>(0), target = *call.get<Tensor>(1);
  const Tensor below = call_clamp_min(call_rsub(call.get<double>(2), self), 0);
  call.give(0, reduced(call, 3,
                       call_add(unless_target(target, 1, below), unless_target(target, -1, self))));
}

void cosine_embedding_loss(const Call& call) {
  constexpr double kLittle = 1e-12;
  static constinit const LazyOp<Tensor(const Tensor&)> root("aten::sqrt");
  const Tensor first = *call.get<Tensor>(0), second = *call.get<Tensor>(1),
               target = *call.get<Tensor>(2);
  const int64_t ndim = first.ndim();
  if (target.ndim() > 1 || ndim != second.ndim() || ndim != target.ndim() + 1) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(),
          ": input1 and input2 must have one dim more than target, which has at most 1, "
          "got sizes ",
          first.sizes(), ", ", second.sizes(), " and ", target.sizes()});
  }
  const int64_t dim = target.ndim();
  const auto squares = [&](const Tensor& a) {
    return call_add(call_sum_of_dim(call_mul(a, a), dim), kLittle);
  };
  const Tensor cosine = call_div(call_sum_of_dim(call_mul(first, second), dim),
                                 root(call_mul(squares(first), squares(second))));
  const Tensor apart = call_clamp_min(call_add(cosine, -call.get<double>(3)), 0);
  call.give(0, reduced(call, 4,
                       call_add(unless_target(target, -1, call_rsub(1, cosine)),
                                unless_target(target, 1, apart))));
}

void triplet_margin_loss(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, double, double, bool)>
      distance("aten::pairwise_distance");
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> smaller("aten::minimum");
  const Tensor anchor = *call.get<Tensor>(0), positive = *call.get<Tensor>(1),
               negative_one = *call.get<Tensor>(2);
  const auto margin = call.get<double>(3), p = call.get<double>(4), eps = call.get<double>(5);
  if (!(margin > 0)) fail_argument(call.op(), "margin", "above 0", Scalar(margin));
  if (anchor.ndim() != positive.ndim() || anchor.ndim() != negative_one.ndim()) {
    fail(
        TENON_ERROR_INVALID_ARGUMENT,
        {call.op(), ": anchor, positive and negative must have the same number of dims, got sizes ",
         anchor.sizes(), ", ", positive.sizes(), " and ", negative_one.sizes()});
  }
  const Tensor near = distance(anchor, positive, p, eps, false);
  Tensor far = distance(anchor, negative_one, p, eps, false);
  if (call.get<bool>(6)) far = smaller(far, distance(positive, negative_one, p, eps, false));
  call.give(0, reduced(call, 7, call_clamp_min(call_add(call_sub(near, far), margin), 0)));
}

void soft_margin_loss(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&)> exp("aten::exp");
  static constinit const LazyOp<Tensor(const Tensor&)> log1p("aten::log1p");
  const Tensor apart = call_mul(call_neg(*call.get<Tensor>(1)), *call.get<Tensor>(0));
  call.give(0, reduced(call, 2, log1p(exp(apart))));
}

}  // namespace tenon::kernels::ops
