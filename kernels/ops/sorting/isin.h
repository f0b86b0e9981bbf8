// SPDX-License-Identifier: Apache-2.0
// aten::isin: whether elements are in a set of test elements.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void isin(const Call& call);

inline constexpr Facts kIsinTensorTensor{
    .family = &kExplicit,
    .name = "isin.Tensor_Tensor",
    .params =
        "Tensor elements, Tensor test_elements, *, bool assume_unique=False, bool invert=False",
    .forms = kFunctional | kOut,
    .out = "Tensor_Tensor_out",
    .tags = "",
    .gradient = "none: not differentiable",
    .tangent = "none: not differentiable",
    .batching = Batching::Each,
    .cast = Cast::None,
    .routine = {&isin},
};

void isin_scalar(const Call& call);

inline constexpr Facts kIsinTensorScalar{
    .family = &kExplicit,
    .name = "isin.Tensor_Scalar",
    .params =
        "Tensor elements, Scalar test_element, *, bool assume_unique=False, bool invert=False",
    .forms = kFunctional | kOut,
    .out = "Tensor_Scalar_out",
    .tags = "",
    .gradient = "none: not differentiable",
    .tangent = "none: not differentiable",
    .batching = Batching::Each,
    .cast = Cast::None,
    .routine = {&isin_scalar},
};

void scalar_isin(const Call& call);

inline constexpr Facts kIsinScalarTensor{
    .family = &kExplicit,
    .name = "isin.Scalar_Tensor",
    .params =
        "Scalar element, Tensor test_elements, *, bool assume_unique=False, bool invert=False",
    .forms = kFunctional | kOut,
    .out = "Scalar_Tensor_out",
    .tags = "",
    .gradient = "none: not differentiable",
    .tangent = "none: not differentiable",
    .batching = Batching::Each,
    .cast = Cast::None,
    .routine = {&scalar_isin},
};

}  // namespace tenon::kernels::ops
