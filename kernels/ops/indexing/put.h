// SPDX-License-Identifier: Apache-2.0
// aten::put: writes or adds elements of a tensor at row-major indices of self.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void put_elements(const Call& call);

inline constexpr Facts kPut{
    .family = &kComposite,
    .name = "put",
    .params = "Tensor self, Tensor index, Tensor source, bool accumulate=False",
    .forms = kAllForms,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&put_elements},
};

}  // namespace tenon::kernels::ops
