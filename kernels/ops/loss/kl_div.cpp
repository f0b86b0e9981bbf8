// SPDX-License-Identifier: Apache-2.0
// Implements aten::kl_div and aten::poisson_nll_loss by calling other operators.
#include "kernels/ops/loss/kl_div.h"

#include <numbers>

#include "kernels/ops/loss/loss_reduction.h"

namespace tenon::kernels::ops {

void kl_div(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&)> exp("aten::exp");
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> xlogy("aten::xlogy.Tensor");
  const Tensor self = *call.get<Tensor>(0), target = *call.get<Tensor>(1);
  const Tensor losses = call.get<bool>(3) ? call_mul(exp(target), call_sub(target, self))
                                          : call_sub(xlogy(target, target), call_mul(target, self));
  call.give(0, reduced(call, 2, losses));
}

void poisson_nll_loss(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&)> exp("aten::exp");
  static constinit const LazyOp<Tensor(const Tensor&)> log("aten::log");
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Scalar&)> where_or(
      "aten::where.ScalarOther");
  static constinit const LazyOp<Tensor(const Tensor&, const Scalar&)> above("aten::gt.Scalar");
  const Tensor input = *call.get<Tensor>(0), target = *call.get<Tensor>(1);
  const auto eps = call.get<double>(4);
  Tensor losses = call.get<bool>(2) ? call_sub(exp(input), call_mul(target, input))
                                    : call_sub(input, call_mul(target, log(call_add(input, eps))));
  if (call.get<bool>(3)) {
    // Stirling's approximation of the logarithm of a factorial.
    const Tensor stirling = call_add(call_sub(call_mul(target, log(target)), target),
                                     call_mul(log(call_mul(target, 2 * std::numbers::pi)), 0.5));
    losses = call_add(losses, where_or(above(target, Scalar(1)), stirling, Scalar(0.0)));
  }
  call.give(0, reduced(call, 5, losses));
}

}  // namespace tenon::kernels::ops
