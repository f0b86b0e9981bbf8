// SPDX-License-Identifier: Apache-2.0
// aten::_linalg_solve_ex: solutions of A X = B or X A = B, with the factors of A and the first
// pivot that is zero; aten::linalg_solve_ex, and aten::linalg_solve, which refuses singular
// matrices.
#pragma once

#include "kernels/common/families/routine.h"

namespace tenon::kernels::ops {

void linalg_solve_meta(const Call& call);

inline constexpr Facts kInnerLinalgSolveEx{
    .family = &kRoutine,
    .name = "_linalg_solve_ex",
    .params = "Tensor A, Tensor B, *, bool left=True, bool check_errors=False",
    .returns = "(Tensor result, Tensor LU, Tensor pivots, Tensor info)",
    .forms = kFunctional | kOut,
    .out = "result",
    .outs = "result, LU, pivots, info",
    .tags = "",
    .gradient =
        "A: linalg_solve_backward_a(grad, A, B, result, left); B: linalg_solve_backward_b(grad, A, "
        "B, left)",
    .tangent = "derived",
    .batching = Batching::Each,
    .cast = Cast::None,
    .routine = {&linalg_solve_meta},
};

void linalg_solve_ex(const Call& call);

inline constexpr Facts kLinalgSolveEx{
    .family = &kComposite,
    .name = "linalg_solve_ex",
    .params = "Tensor A, Tensor B, *, bool left=True, bool check_errors=False",
    .returns = "(Tensor result, Tensor info)",
    .forms = kFunctional | kOut,
    .outs = "result, info",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&linalg_solve_ex},
};

void linalg_solve(const Call& call);

inline constexpr Facts kLinalgSolve{
    .family = &kComposite,
    .name = "linalg_solve",
    .params = "Tensor A, Tensor B, *, bool left=True",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&linalg_solve},
};

void linalg_solve_backward_a(const Call& call);

inline constexpr Facts kLinalgSolveBackwardA{
    .family = &kComposite,
    .name = "linalg_solve_backward_a",
    .params = "Tensor grad, Tensor A, Tensor B, Tensor result, bool left",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&linalg_solve_backward_a},
};

void linalg_solve_backward_b(const Call& call);

inline constexpr Facts kLinalgSolveBackwardB{
    .family = &kComposite,
    .name = "linalg_solve_backward_b",
    .params = "Tensor grad, Tensor A, Tensor B, bool left",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&linalg_solve_backward_b},
};

// One call: A and B broadcast to one batch; vectors are matrices of one column.
struct LinearSystem {
  Tensor a;  // [..., n, n]
  Tensor b;  // [..., n, columns]; the transpose of B for X A = B
  bool is_vector;
  bool left;
};
LinearSystem linear_system_of(const Call& call);
// The results, with the sizes of the batch, column-major.
struct Solution {
  Tensor result;
  Tensor lu;
  Tensor pivots;
  Tensor info;
};
Solution solution_for(const Call& call, const LinearSystem& system);

}  // namespace tenon::kernels::ops
