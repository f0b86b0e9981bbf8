// SPDX-License-Identifier: Apache-2.0
// aten::alias: the same tensor as a new view.
#pragma once

#include "kernels/common/families/view.h"

namespace tenon::kernels::ops {

inline void view_alias(View&, const Call&) {}

inline constexpr Facts kAlias{
    .family = &kView,
    .name = "alias",
    .params = "Tensor(a) self",
    .returns = "Tensor(a)",
    .forms = kViewForms,
    .tags = "core inverse=$part",
    .gradient = "self: grad",
    .tangent = "self_t",
    .batching = Batching::View,
    .cast = Cast::None,
    .view = {&view_alias},
};

}  // namespace tenon::kernels::ops
