// SPDX-License-Identifier: Apache-2.0
// aten::unfold: a view of the windows that slide along a dim; its gradient.
#pragma once

#include "kernels/common/families/view.h"

namespace tenon::kernels::ops {

void unfold_view(View& view, const Call& call);

inline constexpr Facts kUnfold{
    .family = &kView,
    .name = "unfold",
    .params = "Tensor(a) self, int dimension, int size, int step",
    .returns = "Tensor(a)",
    .forms = kViewForms,
    .tags = "",
    .gradient = "self: unfold_backward(grad, self.sizes(), dimension, size, step)",
    .tangent = "self_t.unfold(dimension, size, step)",
    .batching = Batching::View,
    .cast = Cast::None,
    .view = {&unfold_view},
};

void unfold_backward(const Call& call);

inline constexpr Facts kUnfoldBackward{
    .family = &kExplicit,
    .name = "unfold_backward",
    .params = "Tensor grad_in, SymInt[] input_sizes, int dim, int size, int step",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "grad_in: grad.unfold(dim, size, step)",
    .tangent = "unfold_backward(grad_in_t, input_sizes, dim, size, step)",
    .batching = Batching::Shift,
    .cast = Cast::None,
    .routine = {&unfold_backward},
};

}  // namespace tenon::kernels::ops
