// SPDX-License-Identifier: Apache-2.0
// aten::linalg_eig: complex eigenvalues and eigenvectors of length 1 of square matrices;
// aten::_linalg_eigvals, without vectors, and aten::linalg_eigvals, which calls one of the two.
#pragma once

#include "kernels/common/families/routine.h"

namespace tenon::kernels::ops {

void linalg_eig_meta(const Call& call);

inline constexpr Facts kLinalgEig{
    .family = &kRoutine,
    .name = "linalg_eig",
    .params = "Tensor self",
    .returns = "(Tensor eigenvalues, Tensor eigenvectors)",
    .forms = kFunctional | kOut,
    .outs = "eigenvalues, eigenvectors",
    .tags = "",
    .gradient =
        "self: linalg_eig_backward(grads[0], grads[1], eigenvalues, eigenvectors, self.dtype())",
    .tangent = "derived",
    .batching = Batching::Shift,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&linalg_eig_meta},
};

void linalg_eigvals_meta(const Call& call);

inline constexpr Facts kInnerLinalgEigvals{
    .family = &kRoutine,
    .name = "_linalg_eigvals",
    .params = "Tensor self",
    .tags = "",
    .gradient = "self: linalg_eigvals_backward(grad, self)",
    .tangent = "derived",
    .batching = Batching::Shift,
    .cast = Cast::None,
    .routine = {&linalg_eigvals_meta},
};

void linalg_eigvals(const Call& call);

inline constexpr Facts kLinalgEigvals{
    .family = &kComposite,
    .name = "linalg_eigvals",
    .params = "Tensor self",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&linalg_eigvals},
};

void linalg_eig_backward(const Call& call);

inline constexpr Facts kLinalgEigBackward{
    .family = &kComposite,
    .name = "linalg_eig_backward",
    .params = "Tensor grad_L, Tensor grad_V, Tensor L, Tensor V, ScalarType dtype",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&linalg_eig_backward},
};

void linalg_eigvals_backward(const Call& call);

inline constexpr Facts kLinalgEigvalsBackward{
    .family = &kComposite,
    .name = "linalg_eigvals_backward",
    .params = "Tensor grad, Tensor self",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&linalg_eigvals_backward},
};

// Return the values of a call with a checked argument, and the vectors, column-major.
Tensor complex_eigenvalues_of(const Call& call);
Tensor complex_eigenvectors_of(const Call& call);

}  // namespace tenon::kernels::ops
