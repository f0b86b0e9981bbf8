// SPDX-License-Identifier: Apache-2.0
// aten::eye: a matrix with ones on the diagonal and zeros elsewhere.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void eye(const Call& call);

inline constexpr Facts kEye{
    .family = &kExplicit,
    .name = "eye",
    .params = "SymInt n, *, $options",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: no input",
    .tangent = "none: no input",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&eye},
};

void eye_of(const Call& call);

inline constexpr Facts kEyeM{
    .family = &kExplicit,
    .name = "eye.m",
    .params = "SymInt n, SymInt m, *, $options",
    .forms = kFunctional | kOut,
    .out = "m_out",
    .tags = "",
    .gradient = "none: no input",
    .tangent = "none: no input",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&eye_of},
};

}  // namespace tenon::kernels::ops
