// SPDX-License-Identifier: Apache-2.0
// aten::linalg_cholesky_ex: L L^H = A for positive definite matrices, and the first minor that is
// not positive; aten::linalg_cholesky, which refuses such matrices.
#pragma once

#include "kernels/common/families/routine.h"

namespace tenon::kernels::ops {

void linalg_cholesky_meta(const Call& call);

inline constexpr Facts kLinalgCholeskyEx{
    .family = &kRoutine,
    .name = "linalg_cholesky_ex",
    .params = "Tensor self, *, bool upper=False, bool check_errors=False",
    .returns = "(Tensor L, Tensor info)",
    .forms = kFunctional | kOut,
    .out = "L",
    .outs = "L, info",
    .tags = "",
    .gradient = "self: linalg_cholesky_backward(grad, L, upper)",
    .tangent = "derived",
    .batching = Batching::Shift,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&linalg_cholesky_meta},
};

void linalg_cholesky(const Call& call);

inline constexpr Facts kLinalgCholesky{
    .family = &kComposite,
    .name = "linalg_cholesky",
    .params = "Tensor self, *, bool upper=False",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&linalg_cholesky},
};

void cholesky_solve(const Call& call);

inline constexpr Facts kCholeskySolve{
    .family = &kComposite,
    .name = "cholesky_solve",
    .params = "Tensor self, Tensor input2, bool upper=False",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&cholesky_solve},
};

void cholesky_inverse(const Call& call);

inline constexpr Facts kCholeskyInverse{
    .family = &kComposite,
    .name = "cholesky_inverse",
    .params = "Tensor self, bool upper=False",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&cholesky_inverse},
};

void linalg_cholesky_backward(const Call& call);

inline constexpr Facts kLinalgCholeskyBackward{
    .family = &kComposite,
    .name = "linalg_cholesky_backward",
    .params = "Tensor grad, Tensor L, bool upper",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&linalg_cholesky_backward},
};

// The results of a call with a checked argument; L is column-major.
struct CholeskyFactor {
  Tensor factor;
  Tensor info;
};
CholeskyFactor cholesky_factor_of(const Call& call);

}  // namespace tenon::kernels::ops
