// SPDX-License-Identifier: Apache-2.0
// aten::bitwise_or: the bitwise or of two elements.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct BitwiseOr {
  TENON_FUNCTOR T operator()(T x, T y) const { return static_cast<T>(x | y); }
};

inline constexpr Facts kBitwiseOrTensor{
    .family = &kPointwise,
    .name = "bitwise_or.Tensor",
    .params = "Tensor self, Tensor other",
    .forms = kAllForms,
    .out = "Tensor_out",
    .tags = kPointwiseWithNumbers,
    .gradient = "none: integer result",
    .tangent = "none: integer result",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kIntegers | kBool | kWideUnsigned}},
};

inline constexpr Facts kBitwiseOrScalar{
    .family = &kNumberForm,
    .name = "bitwise_or.Scalar",
    .params = "Tensor self, Scalar other",
    .forms = kAllForms,
    .out = "Scalar_out",
    .tags = kPointwiseWithNumbers,
    .gradient = "none: calls the tensor form",
    .tangent = "none: calls the tensor form",
    .batching = Batching::None,
    .cast = Cast::None,
    .tensor_form = &kBitwiseOrTensor,
};

inline constexpr Facts kBitwiseOrScalarTensor{
    .family = &kNumberForm,
    .name = "bitwise_or.Scalar_Tensor",
    .params = "Scalar self, Tensor other",
    .forms = kFunctional | kOut,
    .out = "Scalar_Tensor_out",
    .tags = "pointwise",
    .gradient = "none: integer result",
    .tangent = "none: integer result",
    .batching = Batching::None,
    .cast = Cast::None,
    .tensor_form = &kBitwiseOrTensor,
};

}  // namespace tenon::kernels::ops
