// SPDX-License-Identifier: Apache-2.0
// aten::linalg_matrix_norm: norms of matrices; aten::linalg_norm: norms of vectors, matrices or all
// elements; aten::linalg_cond: condition numbers.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void linalg_matrix_norm(const Call& call);

inline constexpr Facts kLinalgMatrixNorm{
    .family = &kComposite,
    .name = "linalg_matrix_norm",
    .params =
        "Tensor self, Scalar ord, int[] dim=[-2, -1], bool keepdim=False, *, ScalarType? "
        "dtype=None",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Fp32Dtype,
    .cast_on_cpu = Cast::None,
    .routine = {&linalg_matrix_norm},
};

void linalg_matrix_norm_word(const Call& call);

inline constexpr Facts kLinalgMatrixNormStrOrd{
    .family = &kComposite,
    .name = "linalg_matrix_norm.str_ord",
    .params =
        "Tensor self, str ord=\"fro\", int[] dim=[-2, -1], bool keepdim=False, *, ScalarType? "
        "dtype=None",
    .forms = kFunctional | kOut,
    .out = "str_ord_out",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Fp32Dtype,
    .cast_on_cpu = Cast::None,
    .routine = {&linalg_matrix_norm_word},
};

void linalg_norm(const Call& call);

inline constexpr Facts kLinalgNorm{
    .family = &kComposite,
    .name = "linalg_norm",
    .params =
        "Tensor self, Scalar? ord=None, int[1]? dim=None, bool keepdim=False, *, ScalarType? "
        "dtype=None",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&linalg_norm},
};

void linalg_norm_word(const Call& call);

inline constexpr Facts kLinalgNormOrdStr{
    .family = &kComposite,
    .name = "linalg_norm.ord_str",
    .params =
        "Tensor self, str ord, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None",
    .forms = kFunctional | kOut,
    .out = "ord_str_out",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&linalg_norm_word},
};

void linalg_cond(const Call& call);

inline constexpr Facts kLinalgCond{
    .family = &kComposite,
    .name = "linalg_cond",
    .params = "Tensor self, Scalar? p=None",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&linalg_cond},
};

void linalg_cond_word(const Call& call);

inline constexpr Facts kLinalgCondPStr{
    .family = &kComposite,
    .name = "linalg_cond.p_str",
    .params = "Tensor self, str p",
    .forms = kFunctional | kOut,
    .out = "p_str_out",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&linalg_cond_word},
};

}  // namespace tenon::kernels::ops
