// SPDX-License-Identifier: Apache-2.0
// aten::_unsafe_view: view() of a temporary that is not used otherwise, so that the result counts
// as new.
#pragma once

#include "kernels/ops/views/view.h"

namespace tenon::kernels::ops {

inline void unsafe_view(View& view, const Call& call) {
  reshaped_view(view, call);
  view.detached = true;
}

inline constexpr Facts kUnsafeView{
    .family = &kView,
    .name = "_unsafe_view",
    .params = "Tensor self, SymInt[] size",
    .returns = "Tensor",
    .forms = kFunctional | kOut,
    .tags = "returns_view",
    .gradient = "self: grad.reshape(self.sizes())",
    .tangent = "self_t.reshape(size)",
    .batching = Batching::View,
    .cast = Cast::None,
    .view = {&unsafe_view},
};

}  // namespace tenon::kernels::ops
