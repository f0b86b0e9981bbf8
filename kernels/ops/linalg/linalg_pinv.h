// SPDX-License-Identifier: Apache-2.0
// aten::linalg_pinv: pseudo-inverses; aten::linalg_matrix_rank: the number of singular values above
// a threshold.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void linalg_pinv(const Call& call);

inline constexpr Facts kLinalgPinvAtolRtolTensor{
    .family = &kExplicit,
    .name = "linalg_pinv.atol_rtol_tensor",
    .params = "Tensor self, *, Tensor? atol=None, Tensor? rtol=None, bool hermitian=False",
    .forms = kFunctional | kOut,
    .out = "atol_rtol_tensor_out",
    .tags = "",
    .gradient = "self: linalg_pinv_backward(grad, result, self)",
    .tangent = "derived",
    .batching = Batching::Shift,
    .cast = Cast::None,
    .routine = {&linalg_pinv},
};

void linalg_pinv_numbers(const Call& call);

inline constexpr Facts kLinalgPinvAtolRtolFloat{
    .family = &kComposite,
    .name = "linalg_pinv.atol_rtol_float",
    .params = "Tensor self, *, float? atol=None, float? rtol=None, bool hermitian=False",
    .forms = kFunctional | kOut,
    .out = "atol_rtol_float_out",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&linalg_pinv_numbers},
};

void linalg_pinv_rcond(const Call& call);

inline constexpr Facts kLinalgPinv{
    .family = &kComposite,
    .name = "linalg_pinv",
    .params = "Tensor self, float rcond, bool hermitian=False",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&linalg_pinv_rcond},
};

void linalg_pinv_rcond_tensor(const Call& call);

inline constexpr Facts kLinalgPinvRcondTensor{
    .family = &kComposite,
    .name = "linalg_pinv.rcond_tensor",
    .params = "Tensor self, Tensor rcond, bool hermitian=False",
    .forms = kFunctional | kOut,
    .out = "out_rcond_tensor",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&linalg_pinv_rcond_tensor},
};

void pinverse(const Call& call);

inline constexpr Facts kPinverse{
    .family = &kComposite,
    .name = "pinverse",
    .params = "Tensor self, float rcond=1.0000000000000001e-15",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&pinverse},
};

void linalg_matrix_rank(const Call& call);

inline constexpr Facts kLinalgMatrixRankAtolRtolTensor{
    .family = &kComposite,
    .name = "linalg_matrix_rank.atol_rtol_tensor",
    .params = "Tensor input, *, Tensor? atol=None, Tensor? rtol=None, bool hermitian=False",
    .forms = kFunctional | kOut,
    .out = "atol_rtol_tensor_out",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&linalg_matrix_rank},
};

void linalg_matrix_rank_numbers(const Call& call);

inline constexpr Facts kLinalgMatrixRankAtolRtolFloat{
    .family = &kComposite,
    .name = "linalg_matrix_rank.atol_rtol_float",
    .params = "Tensor self, *, float? atol=None, float? rtol=None, bool hermitian=False",
    .forms = kFunctional | kOut,
    .out = "atol_rtol_float_out",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&linalg_matrix_rank_numbers},
};

void linalg_matrix_rank_tol(const Call& call);

inline constexpr Facts kLinalgMatrixRank{
    .family = &kComposite,
    .name = "linalg_matrix_rank",
    .params = "Tensor self, float tol, bool hermitian=False",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&linalg_matrix_rank_tol},
};

void linalg_matrix_rank_tol_tensor(const Call& call);

inline constexpr Facts kLinalgMatrixRankTolTensor{
    .family = &kComposite,
    .name = "linalg_matrix_rank.tol_tensor",
    .params = "Tensor input, Tensor tol, bool hermitian=False",
    .forms = kFunctional | kOut,
    .out = "out_tol_tensor",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&linalg_matrix_rank_tol_tensor},
};

void linalg_pinv_backward(const Call& call);

inline constexpr Facts kLinalgPinvBackward{
    .family = &kComposite,
    .name = "linalg_pinv_backward",
    .params = "Tensor grad, Tensor pinv, Tensor self",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&linalg_pinv_backward},
};

}  // namespace tenon::kernels::ops
