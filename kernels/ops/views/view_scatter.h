// SPDX-License-Identifier: Apache-2.0
// aten::diagonal_scatter, select_scatter and slice_scatter: a copy of a tensor with the elements of
// a view of it replaced.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void diagonal_scatter(const Call& call);

inline constexpr Facts kDiagonalScatter{
    .family = &kExplicit,
    .name = "diagonal_scatter",
    .params = "Tensor self, Tensor src, int offset=0, int dim1=0, int dim2=1",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient =
        "self: diagonal_scatter(grad, zeros_like(grad.diagonal(offset, dim1, dim2)), offset, dim1, "
        "dim2); src: grad.diagonal(offset, dim1, dim2)",
    .tangent = "derived",
    .batching = Batching::Shift,
    .cast = Cast::None,
    .routine = {&diagonal_scatter},
};

void select_scatter(const Call& call);

inline constexpr Facts kSelectScatter{
    .family = &kExplicit,
    .name = "select_scatter",
    .params = "Tensor self, Tensor src, int dim, SymInt index",
    .forms = kFunctional | kOut,
    .tags = "core",
    .gradient =
        "self: select_scatter(grad, zeros_like(grad.select(dim, index)), dim, index); src: "
        "grad.select(dim, index)",
    .tangent = "derived",
    .batching = Batching::Shift,
    .cast = Cast::None,
    .routine = {&select_scatter},
};

void slice_scatter(const Call& call);

inline constexpr Facts kSliceScatter{
    .family = &kExplicit,
    .name = "slice_scatter",
    .params =
        "Tensor self, Tensor src, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1",
    .forms = kFunctional | kOut,
    .tags = "core",
    .gradient =
        "self: slice_scatter(grad, zeros_like(grad.slice(dim, start, end, step)), dim, start, end, "
        "step); src: grad.slice(dim, start, end, step)",
    .tangent = "derived",
    .batching = Batching::Shift,
    .cast = Cast::None,
    .routine = {&slice_scatter},
};

}  // namespace tenon::kernels::ops
