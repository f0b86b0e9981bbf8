// SPDX-License-Identifier: Apache-2.0
// aten::ne: whether elements of self differ from those of other.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/complex.h"

namespace tenon::kernels::ops {

template <class T>
struct Ne {
  TENON_FUNCTOR bool operator()(T x, T y) const { return x != y; }
};

inline constexpr Facts kNeTensor{
    .family = &kPointwise,
    .name = "ne.Tensor",
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
inline constexpr Facts kNeScalar{
    .family = &kNumberForm,
    .name = "ne.Scalar",
    .params = "Tensor self, Scalar other",
    .forms = kAllForms,
    .out = "Scalar_out",
    .tags = kPointwiseWithNumbers,
    .gradient = "none: calls the tensor form",
    .tangent = "none: calls the tensor form",
    .batching = Batching::None,
    .cast = Cast::None,
    .tensor_form = &kNeTensor,
};

inline constexpr Facts kNotEqualTensor{
    .family = &kSynonym,
    .name = "not_equal.Tensor",
    .params = "Tensor self, Tensor other",
    .forms = kAllForms,
    .out = "Tensor_out",
    .tags = "",
    .gradient = "none: calls ne",
    .tangent = "none: calls ne",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kNeTensor,
};

inline constexpr Facts kNotEqualScalar{
    .family = &kSynonym,
    .name = "not_equal.Scalar",
    .params = "Tensor self, Scalar other",
    .forms = kAllForms,
    .out = "Scalar_out",
    .tags = "",
    .gradient = "none: calls ne",
    .tangent = "none: calls ne",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kNeScalar,
};

}  // namespace tenon::kernels::ops
