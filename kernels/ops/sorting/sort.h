// SPDX-License-Identifier: Apache-2.0
// aten::sort: the sorted elements of each line along a dim, and their original indices;
// aten::argsort: the indices. NaN counts as the largest, and equal elements keep their order.
#pragma once

#include "kernels/common/ordered.h"

namespace tenon::kernels::ops {

void sort_meta(const Call& call);

inline constexpr Facts kSort{
    .family = &kRoutine,
    .name = "sort",
    .params = "Tensor self, int dim=-1, bool descending=False",
    .returns = "(Tensor values, Tensor indices)",
    .forms = kFunctional | kOut,
    .out = "values",
    .outs = "values, indices",
    .tags = "core",
    .gradient = "self: value_selecting_reduction_backward(grad, dim, indices, self.sizes(), True)",
    .tangent = "values: gather(self_t, dim, indices)",
    .batching = Batching::Shift,
    .cast = Cast::None,
    .routine = {&sort_meta},
};
inline constexpr Facts kSortStable{
    .family = &kRoutine,
    .name = "sort.stable",
    .params = "Tensor self, *, bool? stable, int dim=-1, bool descending=False",
    .returns = "(Tensor values, Tensor indices)",
    .forms = kFunctional | kOut,
    .out = "values_stable",
    .outs = "values, indices",
    .tags = "",
    .gradient = "self: value_selecting_reduction_backward(grad, dim, indices, self.sizes(), True)",
    .tangent = "values: gather(self_t, dim, indices)",
    .batching = Batching::Shift,
    .node_number = 1,
    .cast = Cast::None,
    .routine = {&sort_meta},
};

void argsort(const Call& call);

inline constexpr Facts kArgsort{
    .family = &kComposite,
    .name = "argsort",
    .params = "Tensor self, int dim=-1, bool descending=False",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&argsort},
};
inline constexpr Facts kArgsortStable{
    .family = &kComposite,
    .name = "argsort.stable",
    .params = "Tensor self, *, bool stable, int dim=-1, bool descending=False",
    .forms = kFunctional | kOut,
    .out = "stable_out",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&argsort},
};

}  // namespace tenon::kernels::ops
