// SPDX-License-Identifier: Apache-2.0
// aten::tril_indices and aten::triu_indices: rows and columns of the elements of a matrix on and
// below a diagonal, or on and above it.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void tril_indices(const Call& call);

inline constexpr Facts kTrilIndices{
    .family = &kExplicit,
    .name = "tril_indices",
    .params = "int row, int col, int offset=0, *, $long_options",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: no input",
    .tangent = "none: no input",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&tril_indices},
};

void triu_indices(const Call& call);

inline constexpr Facts kTriuIndices{
    .family = &kExplicit,
    .name = "triu_indices",
    .params = "int row, int col, int offset=0, *, $long_options",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: no input",
    .tangent = "none: no input",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&triu_indices},
};

}  // namespace tenon::kernels::ops
