// SPDX-License-Identifier: Apache-2.0
// aten::_unique2: the distinct elements, sorted; aten::unique_dim: the distinct slices along a dim;
// aten::unique_consecutive: the first one of each run of equal elements or slices.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void unique2(const Call& call);

inline constexpr Facts kUnique2{
    .family = &kExplicit,
    .name = "_unique2",
    .params = "Tensor self, bool sorted=True, bool return_inverse=False, bool return_counts=False",
    .returns = "(Tensor, Tensor, Tensor)",
    .forms = kFunctional | kOut,
    .outs = "out0, out1, out2",
    .tags = "dynamic_output_shape",
    .gradient = "none: not differentiable",
    .tangent = "none: not differentiable",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&unique2},
};

void unique_dim(const Call& call);

inline constexpr Facts kUniqueDim{
    .family = &kExplicit,
    .name = "unique_dim",
    .params =
        "Tensor self, int dim, bool sorted=True, bool return_inverse=False, bool "
        "return_counts=False",
    .returns = "(Tensor, Tensor, Tensor)",
    .forms = kFunctional | kOut,
    .outs = "out0, out1, out2",
    .tags = "dynamic_output_shape",
    .gradient = "none: not differentiable",
    .tangent = "none: not differentiable",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&unique_dim},
};

void unique_consecutive(const Call& call);

inline constexpr Facts kUniqueConsecutive{
    .family = &kExplicit,
    .name = "unique_consecutive",
    .params = "Tensor self, bool return_inverse=False, bool return_counts=False, int? dim=None",
    .returns = "(Tensor, Tensor, Tensor)",
    .forms = kFunctional | kOut,
    .outs = "out0, out1, out2",
    .tags = "dynamic_output_shape",
    .gradient = "none: not differentiable",
    .tangent = "none: not differentiable",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&unique_consecutive},
};

}  // namespace tenon::kernels::ops
