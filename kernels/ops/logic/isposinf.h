// SPDX-License-Identifier: Apache-2.0
// aten::isposinf, aten::isneginf and aten::isreal: tests for infinities by sign and for real
// numbers.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct IsPosInf {
  TENON_FUNCTOR bool operator()(T x) const {
    if constexpr (std::is_integral_v<T>) {
      return false;
    } else {
      return x == T(__builtin_inf());
    }
  }
};

inline constexpr Facts kIsposinf{
    .family = &kPointwise,
    .name = "isposinf",
    .params = "Tensor self",
    .forms = kFunctional | kOut,
    .tags = "pointwise",
    .gradient = "none: not differentiable",
    .tangent = "none: not differentiable",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kReals | kBool | kWideUnsigned, Promote::Common, {Gives::Bool}},
                  .exact_outs = true},
};

template <class T>
struct IsNegInf {
  TENON_FUNCTOR bool operator()(T x) const {
    if constexpr (std::is_integral_v<T>) {
      return false;
    } else {
      return x == T(-__builtin_inf());
    }
  }
};

inline constexpr Facts kIsneginf{
    .family = &kPointwise,
    .name = "isneginf",
    .params = "Tensor self",
    .forms = kFunctional | kOut,
    .tags = "pointwise",
    .gradient = "none: not differentiable",
    .tangent = "none: not differentiable",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kReals | kBool | kWideUnsigned, Promote::Common, {Gives::Bool}},
                  .exact_outs = true},
};

void isreal(const Call& call);

inline constexpr Facts kIsreal{
    .family = &kComposite,
    .name = "isreal",
    .params = "Tensor self",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&isreal},
};

}  // namespace tenon::kernels::ops
