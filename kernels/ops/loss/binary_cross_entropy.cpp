// SPDX-License-Identifier: Apache-2.0
// Implements aten::binary_cross_entropy, its gradients and aten::binary_cross_entropy_with_logits
// by calling other operators.
#include "kernels/ops/loss/binary_cross_entropy.h"

#include "kernels/common/maths/element.h"
#include "kernels/common/promotion.h"
#include "kernels/ops/calls.h"
#include "kernels/ops/loss/loss_reduction.h"
#include "kernels/ops/symbolic/calls.h"

namespace tenon::kernels::ops {
namespace {

using Weight = std::optional<Tensor>;
constinit const LazyOp<Tensor(const Tensor&)> logarithm("aten::log");
constinit const LazyOp<Tensor(const Tensor&)> logarithm_of_one_and("aten::log1p");
// Lower bound of logarithms, so that a loss is finite even if a probability is 0.
constexpr double kLeastLogarithm = -100;

// Return the logarithms of a probability p and of 1 - p.
Tensor of_itself(const Tensor& self) { return call_clamp_min(logarithm(self), kLeastLogarithm); }
Tensor of_rest(const Tensor& self) {
  return call_clamp_min(logarithm_of_one_and(call_neg(self)), kLeastLogarithm);
}

void check_probabilities(const Call& call, const Tensor& self, const Tensor& target) {
  check_dtype(call.op(), "self", self.dtype(), FloatTypes());
  if (!are_equal(words_of(self), words_of(target))) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": target must have the sizes of self, ", text_of(words_of(self)), ", got ",
          text_of(words_of(target))});
  }
  check_dtype_of(call.op(), "target", target.dtype(), "self", self.dtype());
  using Extreme = LazyOp<Tensor(const Tensor&, Sizes, bool)>;
  static constinit const Extreme smallest("aten::amin");
  static constinit const Extreme largest("aten::amax");
  static constinit const LazyOp<Scalar(const Tensor&)> item("aten::item");
  if (!has_data(kind_of(self)) || numel_of(self) == 0) return;
  const double least = item(smallest(self, Sizes(), false)).to_double();
  const double most = item(largest(self, Sizes(), false)).to_double();
  if (least < 0 || most > 1) {
    fail_argument(call.op(), "self", "have elements from 0 to 1", Scalar(least < 0 ? least : most));
  }
}

// Returns the gradient of each loss, from that of their mean or sum.
Tensor each_gradient(const Call& call, const Tensor& grad, const Tensor& losses, int reduction,
                     const Weight& weight) {
  const bool is_mean = call.get<int64_t>(reduction) == 1;
  Tensor each = losses;
  if (weight) each = call_mul(each, *weight);
  each = call_mul(each, grad);
  return is_mean ? call_mul(each, quotient_of(1, numel_word(losses))) : each;
}

// Returns the separate losses without weights.
Tensor losses_of(const Tensor& self, const Tensor& target) {
  return call_sub(call_mul(call_add(target, -1.0), of_rest(self)),
                  call_mul(target, of_itself(self)));
}

}  // namespace

void binary_cross_entropy(const Call& call) {
  const Tensor self = *call.get<Tensor>(0), target = *call.get<Tensor>(1);
  const auto weight = call.get<Weight>(2);
  check_probabilities(call, self, target);
  Tensor losses = losses_of(self, target);
  if (weight) losses = call_mul(losses, *weight);
  call.give(0, reduced(call, 3, losses));
}

void binary_cross_entropy_backward(const Call& call) {
  constexpr double kLeast = 1e-12;
  const Tensor grad = *call.get<Tensor>(0), self = *call.get<Tensor>(1),
               target = *call.get<Tensor>(2);
  const Tensor slope =
      call_div(call_sub(self, target), call_clamp_min(call_mul(call_rsub(1, self), self), kLeast));
  call.give(0, each_gradient(call, grad, slope, 4, call.get<Weight>(3)));
}

void binary_cross_entropy_target_backward(const Call& call) {
  const Tensor self = *call.get<Tensor>(1);
  const Tensor slope = call_sub(of_rest(self), of_itself(self));
  call.give(0, each_gradient(call, *call.get<Tensor>(0), slope, 4, call.get<Weight>(3)));
}

void binary_cross_entropy_weight_backward(const Call& call) {
  const Tensor losses = losses_of(*call.get<Tensor>(1), *call.get<Tensor>(2));
  call.give(0, each_gradient(call, *call.get<Tensor>(0), losses, 3, std::nullopt));
}

void binary_cross_entropy_with_logits(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&)> log_sigmoid("aten::log_sigmoid");
  const Tensor self = *call.get<Tensor>(0), target = *call.get<Tensor>(1);
  const auto weight = call.get<Weight>(2), of_true = call.get<Weight>(3);
  Tensor likely = log_sigmoid(self);
  if (of_true) {
    likely = call_mul(call_add(call_mul(call_add(*of_true, -1.0), target), 1.0), likely);
  }
  Tensor losses = call_sub(call_mul(call_rsub(1, target), self), likely);
  if (weight) losses = call_mul(losses, *weight);
  call.give(0, reduced(call, 4, losses));
}

}  // namespace tenon::kernels::ops
