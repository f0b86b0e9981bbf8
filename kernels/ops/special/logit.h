// SPDX-License-Identifier: Apache-2.0
// aten::logit: the logarithm of the odds, log(x / (1 - x)).
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct Logit {
  bool is_bounded;
  T low;
  T high;

  static Logit make(const Args& args) {
    if (args.is_none(1)) return {false, 0, 0};
    const T eps = args.factor<T>(1, "eps");
    return {true, eps, T(1) - eps};
  }
  TENON_FUNCTOR T operator()(T x) const {
    if (is_bounded) x = x < low ? low : x > high ? high : x;
    return maths::log(x / (T(1) - x));
  }
};

inline constexpr Facts kLogit{
    .family = &kPointwise,
    .name = "logit",
    .params = "Tensor self, float? eps=None",
    .forms = kAllForms,
    .tags = "pointwise",
    .gradient = "self: logit_backward(grad, self, eps)",
    .tangent = "logit_backward(self_t, self, eps)",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats, Promote::CommonFloat}},
};

void logit_backward(const Call& call);

inline constexpr Facts kLogitBackward{
    .family = &kComposite,
    .name = "logit_backward",
    .params = "Tensor grad, Tensor self, float? eps",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&logit_backward},
};

inline constexpr Facts kSpecialLogit{
    .family = &kSynonym,
    .name = "special_logit",
    .params = "Tensor self, float? eps=None",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: calls logit",
    .tangent = "none: calls logit",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kLogit,
};

}  // namespace tenon::kernels::ops
