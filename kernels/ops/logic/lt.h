// SPDX-License-Identifier: Apache-2.0
// aten::lt: whether elements of self are less than those of other.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/complex.h"

namespace tenon::kernels::ops {

template <class T>
struct Lt {
  TENON_FUNCTOR bool operator()(T x, T y) const { return x < y; }
};

inline constexpr Facts kLtTensor{
    .family = &kPointwise,
    .name = "lt.Tensor",
    .params = "Tensor self, Tensor other",
    .forms = kAllForms,
    .out = "Tensor_out",
    .tags = kPointwiseWithNumbers,
    .gradient = "none: not differentiable",
    .tangent = "none: not differentiable",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kReals | kBool, Promote::Common, Gives::Bool}},
};
inline constexpr Facts kLtScalar{
    .family = &kNumberForm,
    .name = "lt.Scalar",
    .params = "Tensor self, Scalar other",
    .forms = kAllForms,
    .out = "Scalar_out",
    .tags = kPointwiseWithNumbers,
    .gradient = "none: calls the tensor form",
    .tangent = "none: calls the tensor form",
    .batching = Batching::None,
    .cast = Cast::None,
    .tensor_form = &kLtTensor,
};

inline constexpr Facts kLessTensor{
    .family = &kSynonym,
    .name = "less.Tensor",
    .params = "Tensor self, Tensor other",
    .forms = kAllForms,
    .out = "Tensor_out",
    .tags = "",
    .gradient = "none: calls lt",
    .tangent = "none: calls lt",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kLtTensor,
};

inline constexpr Facts kLessScalar{
    .family = &kSynonym,
    .name = "less.Scalar",
    .params = "Tensor self, Scalar other",
    .forms = kAllForms,
    .out = "Scalar_out",
    .tags = "",
    .gradient = "none: calls lt",
    .tangent = "none: calls lt",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kLtScalar,
};

}  // namespace tenon::kernels::ops
