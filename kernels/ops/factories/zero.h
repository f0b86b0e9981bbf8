// SPDX-License-Identifier: Apache-2.0
// aten::zero: sets each element to zero.
#pragma once

#include "kernels/ops/factories/fill.h"

namespace tenon::kernels::ops {

inline void zero_meta(const Call& call) {
  check_fill(call.op(), call.get<Tensor>(0)->info(), Scalar(0));
}

inline constexpr Facts kZeroInPlace{
    .family = &kRoutine,
    .name = "zero",
    .params = "Tensor self",
    .forms = kInPlace,
    .tags = "",
    .gradient = "self: zeros_like(grad)",
    .tangent = "zeros",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .routine = {&zero_meta},
};

inline void zero(const Call& call) {
  const tenon_tensor_info like = call.get<Tensor>(0)->info();
  Tensor made = empty_in_format(call.op(), like, MemoryFormat::Preserve, options_like(like, {}));
  call_zero(made);
  call.give(0, std::move(made));
}

inline constexpr Facts kZero{
    .family = &kExplicit,
    .name = "zero",
    .params = "Tensor self",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "self: zeros_like(grad)",
    .tangent = "zeros",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .routine = {&zero},
};

}  // namespace tenon::kernels::ops
