// SPDX-License-Identifier: Apache-2.0
// aten::linalg_lstsq: solutions of A X = B of least squares.
#pragma once

#include "kernels/common/families/routine.h"

namespace tenon::kernels::ops {

void linalg_lstsq_meta(const Call& call);

inline constexpr Facts kLinalgLstsq{
    .family = &kRoutine,
    .name = "linalg_lstsq",
    .params = "Tensor self, Tensor b, float? rcond=None, *, str? driver=None",
    .returns = "(Tensor solution, Tensor residuals, Tensor rank, Tensor singular_values)",
    .forms = kFunctional | kOut,
    .outs = "solution, residuals, rank, singular_values",
    .tags = "dynamic_output_shape",
    .gradient =
        "self: linalg_lstsq_backward_a(grads[0], grads[1], self, b, solution); "
        "b: linalg_lstsq_backward_b(grads[0], grads[1], self, b, solution)",
    .tangent = "derived",
    .batching = Batching::Each,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&linalg_lstsq_meta},
};

void linalg_lstsq_backward_a(const Call& call);

inline constexpr Facts kLinalgLstsqBackwardA{
    .family = &kComposite,
    .name = "linalg_lstsq_backward_a",
    .params =
        "Tensor? grad_solution, Tensor? grad_residuals, Tensor self, Tensor b, Tensor solution",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&linalg_lstsq_backward_a},
};

void linalg_lstsq_backward_b(const Call& call);

inline constexpr Facts kLinalgLstsqBackwardB{
    .family = &kComposite,
    .name = "linalg_lstsq_backward_b",
    .params =
        "Tensor? grad_solution, Tensor? grad_residuals, Tensor self, Tensor b, Tensor solution",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&linalg_lstsq_backward_b},
};

// The results of a call, its arguments checked. Residuals, rank and singular values are shaped as
// the batch is; which of them are asked for says the driver.
struct LeastSquares {
  Tensor a;
  Tensor b;  // matrices; of a vector one column
  bool is_vector;
  bool has_singular_values;
  bool has_rank;
  bool has_residuals;
  double rcond;
};
LeastSquares least_squares_of(const Call& call);

}  // namespace tenon::kernels::ops
