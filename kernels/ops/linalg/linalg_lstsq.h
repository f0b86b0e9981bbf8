// SPDX-License-Identifier: Apache-2.0
// aten::linalg_lstsq: least-squares solutions of A X = B.
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

// The results of a call with checked arguments. Residuals, rank and singular values have the shape
// of the batch; the driver determines which of them are computed.
struct LeastSquares {
  Tensor a;
  Tensor b;  // matrices; a vector is one column
  bool is_vector;
  bool has_singular_values;
  bool has_rank;
  bool has_residuals;
  double rcond;
};
LeastSquares least_squares_of(const Call& call);

}  // namespace tenon::kernels::ops
