// SPDX-License-Identifier: Apache-2.0
// aten::frexp: each element as a mantissa in [0.5, 1) and a power of two.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/families/results.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct Frexp {
  TENON_FUNCTOR Results<T, int32_t> operator()(T x) const {
    int32_t exponent = 0;
    const T mantissa = maths::frexp(x, exponent);
    return {mantissa, {exponent}};
  }
};

inline constexpr Facts kFrexpTensor{
    .family = &kPointwise,
    .name = "frexp.Tensor",
    .params = "Tensor self",
    .returns = "(Tensor mantissa, Tensor exponent)",
    .forms = kFunctional | kOut,
    .out = "Tensor_out",
    .outs = "mantissa, exponent",
    .tags = "pointwise",
    .gradient = "self: grad / pow(2.0, exponent.detach())",
    .tangent = "mantissa: self_t / pow(2.0, exponent)",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats, Promote::Common, {Gives::Same, Gives::Int32}},
                  .exact_outs = true},
};

}  // namespace tenon::kernels::ops
