// SPDX-License-Identifier: Apache-2.0
// aten::linalg_lu_solve: solutions of A X = B or X A = B, with the factors and pivots of
// aten::linalg_lu_factor; aten::lu_solve, which takes them in another order.
#pragma once

#include "kernels/common/families/routine.h"

namespace tenon::kernels::ops {

void linalg_lu_solve_meta(const Call& call);

inline constexpr Facts kLinalgLuSolve{
    .family = &kRoutine,
    .name = "linalg_lu_solve",
    .params = "Tensor LU, Tensor pivots, Tensor B, *, bool left=True, bool adjoint=False",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient =
        "LU: linalg_lu_solve_backward(grad, LU, pivots, result, left, adjoint); "
        "B: linalg_lu_solve_backward_b(grad, LU, pivots, left, adjoint)",
    .tangent = "derived",
    .batching = Batching::Each,
    .cast = Cast::None,
    .routine = {&linalg_lu_solve_meta},
};

void lu_solve(const Call& call);

inline constexpr Facts kLuSolve{
    .family = &kComposite,
    .name = "lu_solve",
    .params = "Tensor self, Tensor LU_data, Tensor LU_pivots",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&lu_solve},
};

void linalg_lu_solve_backward(const Call& call);

// The gradient of the factors.
inline constexpr Facts kLinalgLuSolveBackward{
    .family = &kComposite,
    .name = "linalg_lu_solve_backward",
    .params = "Tensor grad, Tensor LU, Tensor pivots, Tensor result, bool left, bool adjoint",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&linalg_lu_solve_backward},
};

void linalg_lu_solve_backward_b(const Call& call);

inline constexpr Facts kLinalgLuSolveBackwardB{
    .family = &kComposite,
    .name = "linalg_lu_solve_backward_b",
    .params = "Tensor grad, Tensor LU, Tensor pivots, bool left, bool adjoint",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&linalg_lu_solve_backward_b},
};

// One call: factors, pivots and B, expanded to one batch.
struct FactoredSystem {
  Tensor lu;
  Tensor pivots;
  Tensor b;
  Tensor result;  // column-major; row-major for X A = B
  bool left;
  bool adjoint;
};
FactoredSystem factored_system_of(const Call& call);

}  // namespace tenon::kernels::ops
