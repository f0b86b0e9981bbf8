// SPDX-License-Identifier: Apache-2.0
// aten::histogram: the number of elements between edges.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void histogram_count(const Call& call);

inline constexpr Facts kHistogramBinCt{
    .family = &kExplicit,
    .name = "histogram.bin_ct",
    .params =
        "Tensor self, int bins=100, *, float[]? range=None, Tensor? weight=None, bool "
        "density=False",
    .returns = "(Tensor hist, Tensor bin_edges)",
    .forms = kFunctional | kOut,
    .out = "bin_ct_out",
    .outs = "hist, bin_edges",
    .tags = "",
    .gradient = "none: not differentiable",
    .tangent = "none: not differentiable",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&histogram_count},
};

void histogram_edges(const Call& call);

inline constexpr Facts kHistogramBinsTensor{
    .family = &kExplicit,
    .name = "histogram.bins_tensor",
    .params = "Tensor self, Tensor bins, *, Tensor? weight=None, bool density=False",
    .returns = "(Tensor hist, Tensor bin_edges)",
    .forms = kFunctional | kOut,
    .out = "bins_tensor_out",
    .outs = "hist, bin_edges",
    .tags = "",
    .gradient = "none: not differentiable",
    .tangent = "none: not differentiable",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&histogram_edges},
};

}  // namespace tenon::kernels::ops
