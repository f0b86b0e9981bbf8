// SPDX-License-Identifier: Apache-2.0
// aten::linalg_matrix_exp: exponentials of square matrices; aten::matrix_exp, its older name.
#pragma once

#include "kernels/common/families/routine.h"

namespace tenon::kernels::ops {

void linalg_matrix_exp_meta(const Call& call);

inline constexpr Facts kLinalgMatrixExp{
    .family = &kRoutine,
    .name = "linalg_matrix_exp",
    .params = "Tensor self",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "self: linalg_matrix_exp_differential(self, grad, True)",
    .tangent = "linalg_matrix_exp_differential(self, self_t, False)",
    .batching = Batching::Shift,
    .cast = Cast::None,
    .routine = {&linalg_matrix_exp_meta},
};

void matrix_exp(const Call& call);

inline constexpr Facts kMatrixExp{
    .family = &kComposite,
    .name = "matrix_exp",
    .params = "Tensor self",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&matrix_exp},
};

void linalg_matrix_exp_differential(const Call& call);

// The directional derivative of the exponential for a change `grad` of self, or the adjoint of that
// map.
inline constexpr Facts kLinalgMatrixExpDifferential{
    .family = &kComposite,
    .name = "linalg_matrix_exp_differential",
    .params = "Tensor self, Tensor grad, bool adjoint",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&linalg_matrix_exp_differential},
};

// Checks the argument and returns a row-major result.
Tensor matrix_exp_result(const Call& call);

}  // namespace tenon::kernels::ops
