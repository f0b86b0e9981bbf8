// SPDX-License-Identifier: Apache-2.0
// aten::ge: whether elements of self are greater than or equal to those of other.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/complex.h"

namespace tenon::kernels::ops {

template <class T>
struct Ge {
  TENON_FUNCTOR bool operator()(T x, T y) const { return x >= y; }
};

inline constexpr Facts kGeTensor{
    .family = &kPointwise,
    .name = "ge.Tensor",
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
inline constexpr Facts kGeScalar{
    .family = &kNumberForm,
    .name = "ge.Scalar",
    .params = "Tensor self, Scalar other",
    .forms = kAllForms,
    .out = "Scalar_out",
    .tags = kPointwiseWithNumbers,
    .gradient = "none: calls the tensor form",
    .tangent = "none: calls the tensor form",
    .batching = Batching::None,
    .cast = Cast::None,
    .tensor_form = &kGeTensor,
};

inline constexpr Facts kGreaterEqualTensor{
    .family = &kSynonym,
    .name = "greater_equal.Tensor",
    .params = "Tensor self, Tensor other",
    .forms = kAllForms,
    .out = "Tensor_out",
    .tags = "",
    .gradient = "none: calls ge",
    .tangent = "none: calls ge",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kGeTensor,
};

inline constexpr Facts kGreaterEqualScalar{
    .family = &kSynonym,
    .name = "greater_equal.Scalar",
    .params = "Tensor self, Scalar other",
    .forms = kAllForms,
    .out = "Scalar_out",
    .tags = "",
    .gradient = "none: calls ge",
    .tangent = "none: calls ge",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kGeScalar,
};

}  // namespace tenon::kernels::ops
