// SPDX-License-Identifier: Apache-2.0
// aten::bitwise_xor: the bitwise exclusive or of two elements.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct BitwiseXor {
  TENON_FUNCTOR T operator()(T x, T y) const { return static_cast<T>(x ^ y); }
};

inline constexpr Facts kBitwiseXorTensor{
    .family = &kPointwise,
    .name = "bitwise_xor.Tensor",
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

inline constexpr Facts kBitwiseXorScalar{
    .family = &kNumberForm,
    .name = "bitwise_xor.Scalar",
    .params = "Tensor self, Scalar other",
    .forms = kAllForms,
    .out = "Scalar_out",
    .tags = kPointwiseWithNumbers,
    .gradient = "none: calls the tensor form",
    .tangent = "none: calls the tensor form",
    .batching = Batching::None,
    .cast = Cast::None,
    .tensor_form = &kBitwiseXorTensor,
};

inline constexpr Facts kBitwiseXorScalarTensor{
    .family = &kNumberForm,
    .name = "bitwise_xor.Scalar_Tensor",
    .params = "Scalar self, Tensor other",
    .forms = kFunctional | kOut,
    .out = "Scalar_Tensor_out",
    .tags = "pointwise",
    .gradient = "none: integer result",
    .tangent = "none: integer result",
    .batching = Batching::None,
    .cast = Cast::None,
    .tensor_form = &kBitwiseXorTensor,
};

}  // namespace tenon::kernels::ops
