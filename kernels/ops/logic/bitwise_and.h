// SPDX-License-Identifier: Apache-2.0
// aten::bitwise_and: the bitwise and of two elements.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct BitwiseAnd {
  TENON_FUNCTOR T operator()(T x, T y) const { return static_cast<T>(x & y); }
};

inline constexpr Facts kBitwiseAndTensor{
    .family = &kPointwise,
    .name = "bitwise_and.Tensor",
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

inline constexpr Facts kBitwiseAndScalar{
    .family = &kNumberForm,
    .name = "bitwise_and.Scalar",
    .params = "Tensor self, Scalar other",
    .forms = kAllForms,
    .out = "Scalar_out",
    .tags = kPointwiseWithNumbers,
    .gradient = "none: calls the tensor form",
    .tangent = "none: calls the tensor form",
    .batching = Batching::None,
    .cast = Cast::None,
    .tensor_form = &kBitwiseAndTensor,
};

inline constexpr Facts kBitwiseAndScalarTensor{
    .family = &kNumberForm,
    .name = "bitwise_and.Scalar_Tensor",
    .params = "Scalar self, Tensor other",
    .forms = kFunctional | kOut,
    .out = "Scalar_Tensor_out",
    .tags = "pointwise",
    .gradient = "none: integer result",
    .tangent = "none: integer result",
    .batching = Batching::None,
    .cast = Cast::None,
    .tensor_form = &kBitwiseAndTensor,
};

}  // namespace tenon::kernels::ops
