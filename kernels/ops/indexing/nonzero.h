// SPDX-License-Identifier: Apache-2.0
// aten::nonzero: the indices of all nonzero elements, one row each, in row-major order;
// aten::nonzero_static: a fixed number of rows.
#pragma once

#include "kernels/common/families/routine.h"

namespace tenon::kernels {

// Checks the arguments and returns the result, which may be the call's `out`.
Tensor nonzero_static_result(const Call& call);

namespace ops {

// [quote.begin routine]
void nonzero_meta(const Call& call);

inline constexpr Facts kNonzero{
    .family = &kRoutine,
    .name = "nonzero",
    .params = "Tensor self",
    .forms = kFunctional | kOut,
    .tags = "core dynamic_output_shape",
    .gradient = "none: indices",
    .tangent = "none: indices",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&nonzero_meta},
};
// [quote.end]

void nonzero_static_meta(const Call& call);

// Returns the first of these rows, followed by rows of the fill value if there are fewer.
inline constexpr Facts kNonzeroStatic{
    .family = &kRoutine,
    .name = "nonzero_static",
    .params = "Tensor self, *, SymInt size, int fill_value=-1",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: indices",
    .tangent = "none: indices",
    .batching = Batching::Each,
    .cast = Cast::None,
    .routine = {&nonzero_static_meta},
};

}  // namespace ops

}  // namespace tenon::kernels
