// SPDX-License-Identifier: Apache-2.0
// aten::eq: whether elements of self are equal to those of other.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/complex.h"

namespace tenon::kernels::ops {

template <class T>
struct Eq {
  TENON_FUNCTOR bool operator()(T x, T y) const { return x == y; }
};

inline constexpr Facts kEqTensor{
    .family = &kPointwise,
    .name = "eq.Tensor",
    .params = "Tensor self, Tensor other",
    .forms = kAllForms,
    .out = "Tensor_out",
    .tags = kPointwiseWithNumbers,
    .gradient = "none: not differentiable",
    .tangent = "none: not differentiable",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kStoredDtypes, Promote::Common, Gives::Bool}},
};
inline constexpr Facts kEqScalar{
    .family = &kNumberForm,
    .name = "eq.Scalar",
    .params = "Tensor self, Scalar other",
    .forms = kAllForms,
    .out = "Scalar_out",
    .tags = kPointwiseWithNumbers,
    .gradient = "none: calls the tensor form",
    .tangent = "none: calls the tensor form",
    .batching = Batching::None,
    .cast = Cast::None,
    .tensor_form = &kEqTensor,
};

}  // namespace tenon::kernels::ops
