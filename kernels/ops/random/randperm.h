// SPDX-License-Identifier: Apache-2.0
// aten::randperm: a random permutation of the numbers from 0 on.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void randperm(const Call& call);

inline constexpr Facts kRandperm{
    .family = &kExplicit,
    .name = "randperm",
    .params = "SymInt n, *, $long_options",
    .forms = kFunctional | kOut,
    .tags = "core nondeterministic_seeded",
    .gradient = "none: no input",
    .tangent = "none: no input",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&randperm, /*writes_out=*/true},
};

inline constexpr Facts kRandpermGenerator{
    .family = &kExplicit,
    .name = "randperm.generator",
    .params = "SymInt n, *, Generator? generator, $long_options",
    .forms = kFunctional | kOut,
    .out = "generator_out",
    .tags = "nondeterministic_seeded",
    .gradient = "none: no input",
    .tangent = "none: no input",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&randperm, /*writes_out=*/true},
};

}  // namespace tenon::kernels::ops
