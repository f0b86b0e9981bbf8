// SPDX-License-Identifier: Apache-2.0
// aten::round: the nearest integer to each element; ties to even.
#pragma once

#include <algorithm>

#include "kernels/common/args.h"
#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct Round {
  TENON_FUNCTOR T operator()(T x) const { return maths::round(x); }
};

inline constexpr Facts kRound{
    .family = &kPointwise,
    .name = "round",
    .params = "Tensor self",
    .forms = kAllForms,
    .gradient = "self: zeros_like(grad)",
    .tangent = "zeros",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kReals | kWideUnsigned}, .exact_outs = true},
};

// Rounds to a number of decimal digits, or to powers of ten if it is negative.
template <class T>
struct RoundDecimals {
  T scale;
  bool divides;
  static RoundDecimals make(const Args& args) {
    const int64_t digits = args[1].as.i;
    // More digits than any element has: the power of ten is infinite.
    const int64_t count = std::clamp<int64_t>(digits, -400, 400);
    T scale = 1;
    for (int64_t i = 0; i < (count < 0 ? -count : count); ++i) scale *= T(10);
    return {scale, digits < 0};
  }
  TENON_FUNCTOR T operator()(T x) const {
    return divides ? maths::round(x / scale) * scale : maths::round(x * scale) / scale;
  }
};

inline constexpr Facts kRoundDecimals{
    .family = &kPointwise,
    .name = "round.decimals",
    .params = "Tensor self, *, int decimals",
    .forms = kAllForms,
    .out = "decimals_out",
    .tags = "pointwise",
    .gradient = "self: zeros_like(grad)",
    .tangent = "zeros",
    .batching = Batching::Pointwise,
    .node_number = 1,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats}, .exact_outs = true},
};

}  // namespace tenon::kernels::ops
