// SPDX-License-Identifier: Apache-2.0
// aten::linalg_ldl_factor_ex: L D L^T = A for symmetric matrices, or L D L^H for Hermitian ones, as
// LAPACK stores it; aten::linalg_ldl_factor, which refuses singular matrices, and
// aten::linalg_ldl_solve, which solves systems with these factors.
#pragma once

#include "kernels/common/families/routine.h"

namespace tenon::kernels::ops {

void linalg_ldl_factor_meta(const Call& call);

inline constexpr Facts kLinalgLdlFactorEx{
    .family = &kRoutine,
    .name = "linalg_ldl_factor_ex",
    .params = "Tensor self, *, bool hermitian=False, bool check_errors=False",
    .returns = "(Tensor LD, Tensor pivots, Tensor info)",
    .forms = kFunctional | kOut,
    .outs = "LD, pivots, info",
    .tags = "",
    .gradient = "missing: PyTorch has none",
    .tangent = "missing: PyTorch has none",
    .batching = Batching::Shift,
    .cast = Cast::None,
    .routine = {&linalg_ldl_factor_meta},
};

void linalg_ldl_factor(const Call& call);

inline constexpr Facts kLinalgLdlFactor{
    .family = &kComposite,
    .name = "linalg_ldl_factor",
    .params = "Tensor self, *, bool hermitian=False",
    .returns = "(Tensor LD, Tensor pivots)",
    .forms = kFunctional | kOut,
    .outs = "LD, pivots",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&linalg_ldl_factor},
};

void linalg_ldl_solve_meta(const Call& call);

inline constexpr Facts kLinalgLdlSolve{
    .family = &kRoutine,
    .name = "linalg_ldl_solve",
    .params = "Tensor LD, Tensor pivots, Tensor B, *, bool hermitian=False",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "missing: PyTorch has none",
    .tangent = "missing: PyTorch has none",
    .batching = Batching::Each,
    .cast = Cast::None,
    .routine = {&linalg_ldl_solve_meta},
};

// The results of linalg_ldl_factor_ex for a checked argument; LD is column-major.
struct LdlFactors {
  Tensor ld;
  Tensor pivots;
  Tensor info;
};
LdlFactors ldl_factors_of(const Call& call);

// One call of linalg_ldl_solve: factors, pivots and B, expanded to one batch.
struct SymmetricSystem {
  Tensor ld;
  Tensor pivots;
  Tensor b;
  Tensor result;  // column-major
};
SymmetricSystem symmetric_system_of(const Call& call);

}  // namespace tenon::kernels::ops
