// SPDX-License-Identifier: Apache-2.0
// aten::diagonal: a view of the elements with equal indices along two dims; aten::diag_embed and
// aten::diag, which make a matrix from them.
#pragma once

#include "kernels/common/families/view.h"

namespace tenon::kernels::ops {

void diagonal_view(View& view, const Call& call);

inline constexpr Facts kDiagonal{
    .family = &kView,
    .name = "diagonal",
    .params = "Tensor(a) self, int offset=0, int dim1=0, int dim2=1",
    .returns = "Tensor(a)",
    .forms = kViewForms,
    .tags = "core",
    .gradient = "self: diagonal_backward(grad, self.sizes(), offset, dim1, dim2)",
    .tangent = "self_t.diagonal(offset, dim1, dim2)",
    .batching = Batching::View,
    .cast = Cast::None,
    .view = {&diagonal_view},
};

void diagonal_backward(const Call& call);

inline constexpr Facts kDiagonalBackward{
    .family = &kExplicit,
    .name = "diagonal_backward",
    .params = "Tensor grad_output, SymInt[] input_sizes, int offset, int dim1, int dim2",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "grad_output: grad.diagonal(offset, dim1, dim2)",
    .tangent = "diagonal_backward(grad_output_t, input_sizes, offset, dim1, dim2)",
    .batching = Batching::Shift,
    .cast = Cast::None,
    .routine = {&diagonal_backward},
};

void diag_embed(const Call& call);

inline constexpr Facts kDiagEmbed{
    .family = &kExplicit,
    .name = "diag_embed",
    .params = "Tensor self, int offset=0, int dim1=-2, int dim2=-1",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "self: grad.diagonal(offset, dim1, dim2)",
    .tangent = "diag_embed(self_t, offset, dim1, dim2)",
    .batching = Batching::Shift,
    .cast = Cast::None,
    .routine = {&diag_embed},
};

void diag(const Call& call);

inline constexpr Facts kDiag{
    .family = &kComposite,
    .name = "diag",
    .params = "Tensor self, int diagonal=0",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&diag},
};

}  // namespace tenon::kernels::ops
