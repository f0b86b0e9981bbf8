// SPDX-License-Identifier: Apache-2.0
// aten::poisson: Poisson-distributed counts, one for each rate.
#pragma once

#include "kernels/common/families/routine.h"

namespace tenon::kernels {

// Checks the argument and makes the result, or takes the call's `out`.
Tensor poisson_result(const Call& call);

namespace ops {

void poisson_meta(const Call& call);

inline constexpr Facts kPoisson{
    .family = &kRoutine,
    .name = "poisson",
    .params = "Tensor self, Generator? generator=None",
    .forms = kFunctional | kOut,
    .tags = "nondeterministic_seeded",
    .gradient = "self: zeros_like(self)",
    .tangent = "zeros",
    .batching = Batching::Each,
    .cast = Cast::None,
    .routine = {&poisson_meta},
};

}  // namespace ops

}  // namespace tenon::kernels
