// SPDX-License-Identifier: Apache-2.0
// aten::bincount: the number of occurrences of each integer, or the sum of its weights;
// aten::histc: the number of elements in each of several equal parts of a range.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void bincount(const Call& call);

inline constexpr Facts kBincount{
    .family = &kExplicit,
    .name = "bincount",
    .params = "Tensor self, Tensor? weights=None, SymInt minlength=0",
    .forms = kFunctional | kOut,
    .tags = "dynamic_output_shape",
    .gradient = "none: counts",
    .tangent = "none: counts",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&bincount},
};

void histc(const Call& call);

inline constexpr Facts kHistc{
    .family = &kExplicit,
    .name = "histc",
    .params = "Tensor self, int bins=100, Scalar min=0, Scalar max=0",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: counts",
    .tangent = "none: counts",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&histc},
};

}  // namespace tenon::kernels::ops
