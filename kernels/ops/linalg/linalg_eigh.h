// SPDX-License-Identifier: Apache-2.0
// aten::_linalg_eigh: eigenvalues of Hermitian matrices in ascending order, and eigenvectors;
// aten::linalg_eigh and aten::linalg_eigvalsh.
#pragma once

#include "kernels/common/families/routine.h"

namespace tenon::kernels::ops {

void linalg_eigh_meta(const Call& call);

inline constexpr Facts kInnerLinalgEigh{
    .family = &kRoutine,
    .name = "_linalg_eigh",
    .params = "Tensor A, str UPLO=\"L\", bool compute_v=True",
    .returns = "(Tensor eigenvalues, Tensor eigenvectors)",
    .forms = kFunctional | kOut,
    .out = "eigenvalues",
    .outs = "eigenvalues, eigenvectors",
    .tags = "",
    .gradient = "A: linalg_eigh_backward(grads[0], grads[1], eigenvalues, eigenvectors, compute_v)",
    .tangent = "derived",
    .batching = Batching::Shift,
    .cast = Cast::None,
    .routine = {&linalg_eigh_meta},
};

void linalg_eigh(const Call& call);

inline constexpr Facts kLinalgEigh{
    .family = &kComposite,
    .name = "linalg_eigh",
    .params = "Tensor self, str UPLO=\"L\"",
    .returns = "(Tensor eigenvalues, Tensor eigenvectors)",
    .forms = kFunctional | kOut,
    .out = "eigvals",
    .outs = "eigvals, eigvecs",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&linalg_eigh},
};

void linalg_eigvalsh(const Call& call);

inline constexpr Facts kLinalgEigvalsh{
    .family = &kComposite,
    .name = "linalg_eigvalsh",
    .params = "Tensor self, str UPLO=\"L\"",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&linalg_eigvalsh},
};

void linalg_eigh_backward(const Call& call);

inline constexpr Facts kLinalgEighBackward{
    .family = &kComposite,
    .name = "linalg_eigh_backward",
    .params = "Tensor grad_L, Tensor grad_V, Tensor L, Tensor V, bool compute_v",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&linalg_eigh_backward},
};

// The results of a call with checked arguments; vectors are column-major, and empty unless
// requested.
struct Eigenvalues {
  Tensor values;
  Tensor vectors;
  char triangle;
  bool has_vectors;
};
Eigenvalues eigenvalues_of(const Call& call);

}  // namespace tenon::kernels::ops
