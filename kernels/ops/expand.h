// SPDX-License-Identifier: Apache-2.0
// aten::expand: a view that repeats dims of size 1, and new leading dims, without copying.
#pragma once

#include "kernels/common/view.h"

namespace tenon::kernels::ops {

void expand_view(View& view, const Call& call);

inline constexpr Facts kExpand{
    .family = &kView,
    .name = "expand",
    .params = "Tensor(a) self, SymInt[] size, *, bool implicit=False",
    .returns = "Tensor(a)",
    .forms = kViewForms,
    .tags = "core",
    .gradient = "self: grad",
    .tangent = "self_t.expand(size)",
    .batching = Batching::View,
    .cast = Cast::None,
    .view = {&expand_view},
};

}  // namespace tenon::kernels::ops
