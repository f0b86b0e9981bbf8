// SPDX-License-Identifier: Apache-2.0
// aten::_linalg_svd: U diag(S) Vh = A, with singular values in descending order; aten::linalg_svd,
// aten::linalg_svdvals and aten::svd.
#pragma once

#include "kernels/common/families/routine.h"

namespace tenon::kernels::ops {

void linalg_svd_meta(const Call& call);

inline constexpr Facts kInnerLinalgSvd{
    .family = &kRoutine,
    .name = "_linalg_svd",
    .params = "Tensor A, bool full_matrices=False, bool compute_uv=True, *, str? driver=None",
    .returns = "(Tensor U, Tensor S, Tensor Vh)",
    .forms = kFunctional | kOut,
    .out = "U",
    .outs = "U, S, Vh",
    .tags = "",
    .gradient =
        "A: linalg_svd_backward(grads[0], grads[1], grads[2], U, S, Vh, full_matrices, compute_uv)",
    .tangent = "derived",
    .batching = Batching::Shift,
    .cast = Cast::None,
    .routine = {&linalg_svd_meta},
};

void linalg_svd(const Call& call);

inline constexpr Facts kLinalgSvd{
    .family = &kComposite,
    .name = "linalg_svd",
    .params = "Tensor A, bool full_matrices=True, *, str? driver=None",
    .returns = "(Tensor U, Tensor S, Tensor Vh)",
    .forms = kFunctional | kOut,
    .out = "U",
    .outs = "U, S, Vh",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&linalg_svd},
};

void linalg_svdvals(const Call& call);

inline constexpr Facts kLinalgSvdvals{
    .family = &kComposite,
    .name = "linalg_svdvals",
    .params = "Tensor A, *, str? driver=None",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&linalg_svdvals},
};

void svd(const Call& call);

inline constexpr Facts kSvd{
    .family = &kComposite,
    .name = "svd",
    .params = "Tensor self, bool some=True, bool compute_uv=True",
    .returns = "(Tensor U, Tensor S, Tensor V)",
    .forms = kFunctional | kOut,
    .out = "U",
    .outs = "U, S, V",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&svd},
};

void linalg_svd_backward(const Call& call);

inline constexpr Facts kLinalgSvdBackward{
    .family = &kComposite,
    .name = "linalg_svd_backward",
    .params =
        "Tensor grad_U, Tensor grad_S, Tensor grad_Vh, Tensor U, Tensor S, Tensor Vh, bool "
        "full_matrices, bool compute_uv",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&linalg_svd_backward},
};

// The results of a call with checked arguments; U and Vh are column-major, and empty unless
// requested.
struct SingularValues {
  Tensor u;
  Tensor s;
  Tensor vh;
  bool is_full;
  bool has_vectors;
};
SingularValues singular_values_of(const Call& call);

}  // namespace tenon::kernels::ops
