// SPDX-License-Identifier: Apache-2.0
// aten::view: the same elements with other sizes, or the same memory with elements of another
// dtype.
#pragma once

#include "kernels/common/families/view.h"

namespace tenon::kernels::ops {

void reshaped_view(View& view, const Call& call);

inline constexpr Facts kViewSizes{
    .family = &kView,
    .name = "view",
    .params = "Tensor(a) self, SymInt[] size",
    .returns = "Tensor(a)",
    .forms = kViewForms,
    .tags = "core inverse=aten::view($part,$sizes)",
    .gradient = "self: grad.reshape(self.sizes())",
    .tangent = "self_t.reshape(size)",
    .batching = Batching::View,
    .cast = Cast::None,
    .view = {&reshaped_view, /*copied=*/"reshape"},
};

void recast_view(View& view, const Call& call);

inline constexpr Facts kViewDtype{
    .family = &kView,
    .name = "view.dtype",
    .params = "Tensor(a) self, ScalarType dtype",
    .returns = "Tensor(a)",
    .forms = kViewForms,
    .tags = "inverse=aten::view.dtype($part,$dtype)",
    .gradient = "none: bits have no derivative",
    .tangent = "none: bits have no derivative",
    .batching = Batching::View,
    .cast = Cast::None,
    .view = {&recast_view},
};

void view_as(const Call& call);

inline constexpr Facts kViewAs{
    .family = &kComposite,
    .name = "view_as",
    .params = "Tensor(a) self, Tensor other",
    .returns = "Tensor(a)",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&view_as},
};

}  // namespace tenon::kernels::ops
