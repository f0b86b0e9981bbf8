// SPDX-License-Identifier: Apache-2.0
// aten::le: whether elements of self are less than or equal to those of other.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/complex.h"

namespace tenon::kernels::ops {

template <class T>
struct Le {
  TENON_FUNCTOR bool operator()(T x, T y) const { return x <= y; }
};

inline constexpr Facts kLeTensor{
    .family = &kPointwise,
    .name = "le.Tensor",
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
inline constexpr Facts kLeScalar{
    .family = &kNumberForm,
    .name = "le.Scalar",
    .params = "Tensor self, Scalar other",
    .forms = kAllForms,
    .out = "Scalar_out",
    .tags = kPointwiseWithNumbers,
    .gradient = "none: calls the tensor form",
    .tangent = "none: calls the tensor form",
    .batching = Batching::None,
    .cast = Cast::None,
    .tensor_form = &kLeTensor,
};

inline constexpr Facts kLessEqualTensor{
    .family = &kSynonym,
    .name = "less_equal.Tensor",
    .params = "Tensor self, Tensor other",
    .forms = kAllForms,
    .out = "Tensor_out",
    .tags = "",
    .gradient = "none: calls le",
    .tangent = "none: calls le",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kLeTensor,
};

inline constexpr Facts kLessEqualScalar{
    .family = &kSynonym,
    .name = "less_equal.Scalar",
    .params = "Tensor self, Scalar other",
    .forms = kAllForms,
    .out = "Scalar_out",
    .tags = "",
    .gradient = "none: calls le",
    .tangent = "none: calls le",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kLeScalar,
};

}  // namespace tenon::kernels::ops
