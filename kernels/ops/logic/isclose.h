// SPDX-License-Identifier: Apache-2.0
// aten::isclose: whether |self - other| <= atol + rtol * |other| for each element; aten::allclose:
// whether this is true for all elements.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void isclose(const Call& call);

inline constexpr Facts kIsclose{
    .family = &kComposite,
    .name = "isclose",
    .params =
        "Tensor self, Tensor other, float rtol=1.0000000000000001e-05, float atol=1e-08, "
        "bool equal_nan=False",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&isclose},
};

void allclose(const Call& call);

inline constexpr Facts kAllclose{
    .family = &kComposite,
    .name = "allclose",
    .params =
        "Tensor self, Tensor other, float rtol=1.0000000000000001e-05, float atol=1e-08, "
        "bool equal_nan=False",
    .returns = "bool",
    .tags = "data_dependent_output",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&allclose},
};

}  // namespace tenon::kernels::ops
