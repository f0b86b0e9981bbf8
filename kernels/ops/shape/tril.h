// SPDX-License-Identifier: Apache-2.0
// aten::tril: matrices with elements above a diagonal set to 0; aten::triu: those below.
#pragma once

#include "kernels/common/families/routine.h"

namespace tenon::kernels {

// Checks the arguments and returns the result, which may be the call's `out`.
Tensor triangle_result(const Call& call);

namespace ops {

void triangle_meta(const Call& call);

inline constexpr Facts kTril{
    .family = &kRoutine,
    .name = "tril",
    .params = "Tensor self, SymInt diagonal=0",
    .forms = kAllForms,
    .tags = "",
    .gradient = "self: grad.tril(diagonal)",
    .tangent = "self_t.tril(diagonal)",
    .batching = Batching::Shift,
    .cast = Cast::None,
    .routine = {&triangle_meta},
};

inline constexpr Facts kTriu{
    .family = &kRoutine,
    .name = "triu",
    .params = "Tensor self, SymInt diagonal=0",
    .forms = kAllForms,
    .tags = "",
    .gradient = "self: grad.triu(diagonal)",
    .tangent = "self_t.triu(diagonal)",
    .batching = Batching::Shift,
    .cast = Cast::None,
    .routine = {&triangle_meta},
};

}  // namespace ops

}  // namespace tenon::kernels
