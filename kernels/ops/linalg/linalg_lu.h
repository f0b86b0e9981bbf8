// SPDX-License-Identifier: Apache-2.0
// aten::linalg_lu_factor_ex: P L U = A as LAPACK stores it; aten::linalg_lu_factor, which refuses
// singular matrices.
#pragma once

#include "kernels/common/families/routine.h"

namespace tenon::kernels::ops {

void linalg_lu_factor_meta(const Call& call);

inline constexpr Facts kLinalgLuFactorEx{
    .family = &kRoutine,
    .name = "linalg_lu_factor_ex",
    .params = "Tensor A, *, bool pivot=True, bool check_errors=False",
    .returns = "(Tensor LU, Tensor pivots, Tensor info)",
    .forms = kFunctional | kOut,
    .outs = "LU, pivots, info",
    .tags = "",
    .gradient = "A: linalg_lu_factor_backward(grads[0], LU, pivots)",
    .tangent = "derived",
    .batching = Batching::Shift,
    .cast = Cast::None,
    .routine = {&linalg_lu_factor_meta},
};

void linalg_lu_factor(const Call& call);

inline constexpr Facts kLinalgLuFactor{
    .family = &kComposite,
    .name = "linalg_lu_factor",
    .params = "Tensor A, *, bool pivot=True",
    .returns = "(Tensor LU, Tensor pivots)",
    .forms = kFunctional | kOut,
    .outs = "LU, pivots",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&linalg_lu_factor},
};

void linalg_lu_factor_backward(const Call& call);

inline constexpr Facts kLinalgLuFactorBackward{
    .family = &kComposite,
    .name = "linalg_lu_factor_backward",
    .params = "Tensor grad, Tensor LU, Tensor pivots",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&linalg_lu_factor_backward},
};

// The results of linalg_lu_factor_ex for a checked argument; LU is column-major.
struct LuFactors {
  Tensor lu;
  Tensor pivots;
  Tensor info;
};
LuFactors lu_factors_of(const Call& call);
// Returns for each row of L U its row in A, by applying the exchanges in order.
Tensor rows_of_factors(const Tensor& pivots, int64_t rows);

}  // namespace tenon::kernels::ops
