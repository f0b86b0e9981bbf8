// SPDX-License-Identifier: Apache-2.0
// aten::detach: the same tensor as a new view that is not tracked by autograd.
#pragma once

#include "kernels/common/families/view.h"

namespace tenon::kernels::ops {

inline void view_detached(View& view, const Call&) { view.detached = true; }

inline constexpr Facts kDetach{
    .family = &kView,
    .name = "detach",
    .params = "Tensor(a) self",
    .returns = "Tensor(a)",
    .forms = kViewForms,
    .tags = "inverse=$part",
    .gradient = "none: it ends tracking",
    .tangent = "none: it ends tracking",
    .batching = Batching::View,
    .cast = Cast::None,
    .view = {&view_detached},
};

}  // namespace tenon::kernels::ops
