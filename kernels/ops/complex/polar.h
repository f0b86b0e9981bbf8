// SPDX-License-Identifier: Apache-2.0
// aten::complex: complex numbers from their parts; aten::polar: from their magnitudes and angles.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void complex_of_parts(const Call& call);

inline constexpr Facts kComplexOfParts{
    .family = &kComposite,
    .name = "complex",
    .params = "Tensor real, Tensor imag",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&complex_of_parts},
};

void polar(const Call& call);

inline constexpr Facts kPolar{
    .family = &kComposite,
    .name = "polar",
    .params = "Tensor abs, Tensor angle",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&polar},
};

}  // namespace tenon::kernels::ops
