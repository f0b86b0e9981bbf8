// SPDX-License-Identifier: Apache-2.0
// aten::expand: a view that repeats dims of size 1, and new leading dims, without copying.
#pragma once

#include "kernels/common/families/view.h"

namespace tenon::kernels::ops {

void expand_view(View& view, const Call& call);

inline constexpr Facts kExpand{
    .family = &kView,
    .name = "expand",
    .params = "Tensor(a) self, SymInt[] size, *, bool implicit=False",
    .returns = "Tensor(a)",
    .forms = kViewForms,
    .tags = "core inverse=none",
    .gradient = "self: grad",
    .tangent = "self_t.expand(size)",
    .batching = Batching::View,
    .cast = Cast::None,
    .view = {&expand_view},
};

void expand_as(const Call& call);

inline constexpr Facts kExpandAs{
    .family = &kComposite,
    .name = "expand_as",
    .params = "Tensor(a) self, Tensor other",
    .returns = "Tensor(a)",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&expand_as},
};

void broadcast_to(const Call& call);

inline constexpr Facts kBroadcastTo{
    .family = &kComposite,
    .name = "broadcast_to",
    .params = "Tensor(a) self, SymInt[] size",
    .returns = "Tensor(a)",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&broadcast_to},
};

}  // namespace tenon::kernels::ops
