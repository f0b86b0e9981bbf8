// SPDX-License-Identifier: Apache-2.0
// aten::linalg_householder_product: the first columns of Q = H_1 ... H_k for reflectors H = I - tau
// v v^H as LAPACK stores them; aten::orgqr, its older name, and aten::ormqr: products of the whole
// Q with matrices.
#pragma once

#include "kernels/common/families/routine.h"

namespace tenon::kernels::ops {

void linalg_householder_product_meta(const Call& call);

inline constexpr Facts kLinalgHouseholderProduct{
    .family = &kRoutine,
    .name = "linalg_householder_product",
    .params = "Tensor input, Tensor tau",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient =
        "input: reflections_backward(grad, result, input, tau, True, False, 0); "
        "tau: reflections_backward(grad, result, input, tau, True, False, 1)",
    .tangent = "derived",
    .batching = Batching::Each,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&linalg_householder_product_meta},
};

void orgqr(const Call& call);

inline constexpr Facts kOrgqr{
    .family = &kComposite,
    .name = "orgqr",
    .params = "Tensor self, Tensor input2",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&orgqr},
};

void ormqr_meta(const Call& call);

inline constexpr Facts kOrmqr{
    .family = &kRoutine,
    .name = "ormqr",
    .params = "Tensor self, Tensor input2, Tensor input3, bool left=True, bool transpose=False",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient =
        "self: reflections_backward(grad, result, self, input2, left, transpose, 0); "
        "input2: reflections_backward(grad, result, self, input2, left, transpose, 1); "
        "input3: ormqr_backward(grad, self, input2, left, transpose)",
    .tangent = "derived",
    .batching = Batching::Each,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&ormqr_meta},
};

void reflections_backward(const Call& call);

// The gradient of the reflectors, or of their factors tau if `which` is 1, for a product whose
// value is `result`.
inline constexpr Facts kReflectionsBackward{
    .family = &kComposite,
    .name = "reflections_backward",
    .params =
        "Tensor grad, Tensor result, Tensor input, Tensor tau, bool left, bool transpose, int "
        "which",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&reflections_backward},
};

void ormqr_backward(const Call& call);

// The gradient of the matrices that Q is multiplied with.
inline constexpr Facts kOrmqrBackward{
    .family = &kComposite,
    .name = "ormqr_backward",
    .params = "Tensor grad, Tensor self, Tensor input2, bool left, bool transpose",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&ormqr_backward},
};

// Check the arguments of a call and return its result, column-major.
Tensor householder_result(const Call& call);
Tensor ormqr_result(const Call& call);

}  // namespace tenon::kernels::ops
