// SPDX-License-Identifier: Apache-2.0
// aten::multinomial: indices along the last dim, drawn with the probabilities in it.
#pragma once

#include "kernels/common/families/routine.h"

namespace tenon::kernels {

// Checks the arguments and returns the result, which may be the call's `out`.
Tensor multinomial_result(const Call& call);

namespace ops {

void multinomial_meta(const Call& call);

inline constexpr Facts kMultinomial{
    .family = &kRoutine,
    .name = "multinomial",
    .params =
        "Tensor self, SymInt num_samples, bool replacement=False, *, Generator? generator=None",
    .forms = kFunctional | kOut,
    .tags = "nondeterministic_seeded",
    .gradient = "none: indices",
    .tangent = "none: indices",
    .batching = Batching::Each,
    .cast = Cast::None,
    .routine = {&multinomial_meta},
};

}  // namespace ops

}  // namespace tenon::kernels
