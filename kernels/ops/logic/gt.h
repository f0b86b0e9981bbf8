// SPDX-License-Identifier: Apache-2.0
// aten::gt: whether elements of self are greater than those of other.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/complex.h"

namespace tenon::kernels::ops {

template <class T>
struct Gt {
  TENON_FUNCTOR bool operator()(T x, T y) const { return x > y; }
};

inline constexpr Facts kGtTensor{
    .family = &kPointwise,
    .name = "gt.Tensor",
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
inline constexpr Facts kGtScalar{
    .family = &kNumberForm,
    .name = "gt.Scalar",
    .params = "Tensor self, Scalar other",
    .forms = kAllForms,
    .out = "Scalar_out",
    .tags = kPointwiseWithNumbers,
    .gradient = "none: calls the tensor form",
    .tangent = "none: calls the tensor form",
    .batching = Batching::None,
    .cast = Cast::None,
    .tensor_form = &kGtTensor,
};

inline constexpr Facts kGreaterTensor{
    .family = &kSynonym,
    .name = "greater.Tensor",
    .params = "Tensor self, Tensor other",
    .forms = kAllForms,
    .out = "Tensor_out",
    .tags = "",
    .gradient = "none: calls gt",
    .tangent = "none: calls gt",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kGtTensor,
};

inline constexpr Facts kGreaterScalar{
    .family = &kSynonym,
    .name = "greater.Scalar",
    .params = "Tensor self, Scalar other",
    .forms = kAllForms,
    .out = "Scalar_out",
    .tags = "",
    .gradient = "none: calls gt",
    .tangent = "none: calls gt",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kGtScalar,
};

}  // namespace tenon::kernels::ops
