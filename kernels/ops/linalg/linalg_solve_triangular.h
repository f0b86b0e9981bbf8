// SPDX-License-Identifier: Apache-2.0
// aten::linalg_solve_triangular: solutions of A X = B or X A = B for triangular A.
#pragma once

#include "kernels/common/families/routine.h"

namespace tenon::kernels::ops {

void linalg_solve_triangular_meta(const Call& call);

inline constexpr Facts kLinalgSolveTriangular{
    .family = &kRoutine,
    .name = "linalg_solve_triangular",
    .params = "Tensor self, Tensor B, *, bool upper, bool left=True, bool unitriangular=False",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient =
        "self: linalg_solve_triangular_backward_a(grad, self, result, upper, left, unitriangular); "
        "B: linalg_solve_triangular_backward_b(grad, self, upper, left, unitriangular)",
    .tangent = "derived",
    .batching = Batching::Each,
    .cast = Cast::None,
    .routine = {&linalg_solve_triangular_meta},
};

void linalg_solve_triangular_backward_a(const Call& call);

inline constexpr Facts kLinalgSolveTriangularBackwardA{
    .family = &kComposite,
    .name = "linalg_solve_triangular_backward_a",
    .params = "Tensor grad, Tensor self, Tensor result, bool upper, bool left, bool unitriangular",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&linalg_solve_triangular_backward_a},
};

void linalg_solve_triangular_backward_b(const Call& call);

inline constexpr Facts kLinalgSolveTriangularBackwardB{
    .family = &kComposite,
    .name = "linalg_solve_triangular_backward_b",
    .params = "Tensor grad, Tensor self, bool upper, bool left, bool unitriangular",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&linalg_solve_triangular_backward_b},
};

// One call: triangles and right-hand sides, broadcast to one batch.
struct TriangularSystem {
  Tensor a;
  Tensor b;
  bool upper;
  bool left;
  bool unitriangular;
};
TriangularSystem triangular_system_of(const Call& call);
// Returns the result, which has B's broadcast sizes and is column-major.
Tensor triangular_result(const Call& call, const TriangularSystem& system);

}  // namespace tenon::kernels::ops
