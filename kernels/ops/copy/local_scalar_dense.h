// SPDX-License-Identifier: Apache-2.0
// aten::_local_scalar_dense: the single element of a tensor, as a number.
#pragma once

#include "kernels/common/families/routine.h"

namespace tenon::kernels::ops {

void local_scalar_dense_meta(const Call& call);

inline constexpr Facts kLocalScalarDense{
    .family = &kRoutine,
    .name = "_local_scalar_dense",
    .params = "Tensor self",
    .returns = "Scalar",
    .tags = "core data_dependent_output",
    .gradient = "none: a number is no tensor",
    .tangent = "none: a number is no tensor",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&local_scalar_dense_meta},
};

}  // namespace tenon::kernels::ops
