// SPDX-License-Identifier: Apache-2.0
// aten::cummax and aten::cummin: running maximum and minimum along a dim, and their indices. The
// last one of equal elements counts, and NaN from the first one on.
#pragma once

#include "kernels/common/families/routine.h"

namespace tenon::kernels::ops {

void cummax_meta(const Call& call);

inline constexpr Facts kCummax{
    .family = &kRoutine,
    .name = "cummax",
    .params = "Tensor self, int dim",
    .returns = "(Tensor values, Tensor indices)",
    .forms = kFunctional | kOut,
    .outs = "values, indices",
    .tags = "",
    .gradient = "self: zeros_like(grad).scatter_add(dim, indices, grad)",
    .tangent = "values: gather(self_t, dim, indices)",
    .batching = Batching::Shift,
    .cast = Cast::None,
    .routine = {&cummax_meta},
};

inline constexpr Facts kCummin{
    .family = &kRoutine,
    .name = "cummin",
    .params = "Tensor self, int dim",
    .returns = "(Tensor values, Tensor indices)",
    .forms = kFunctional | kOut,
    .outs = "values, indices",
    .tags = "",
    .gradient = "self: zeros_like(grad).scatter_add(dim, indices, grad)",
    .tangent = "values: gather(self_t, dim, indices)",
    .batching = Batching::Shift,
    .cast = Cast::None,
    .routine = {&cummax_meta},
};

// The results of a call with checked arguments; `dim` is wrapped.
struct RunningExtremes {
  Tensor values;
  Tensor indices;
  int64_t dim;
};
RunningExtremes running_extremes(const Call& call);

}  // namespace tenon::kernels::ops
