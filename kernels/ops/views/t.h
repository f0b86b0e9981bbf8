// SPDX-License-Identifier: Apache-2.0
// aten::t: the transpose of a matrix; tensors with fewer dims are unchanged.
#pragma once

#include "kernels/common/families/view.h"

namespace tenon::kernels::ops {

inline void t_view(View& view, const Call& call) {
  if (view.ndim() > 2) fail_argument(call.op(), "self", "have at most 2 dims", view.ndim());
  if (view.ndim() == 2) view.swap(0, 1);
}

inline constexpr Facts kT{
    .family = &kView,
    .name = "t",
    .params = "Tensor(a) self",
    .returns = "Tensor(a)",
    .forms = kViewForms | kInPlace,
    .tags = "inverse=aten::t($part)",
    .gradient = "self: grad.t()",
    .tangent = "self_t.t()",
    .batching = Batching::View,
    .cast = Cast::None,
    .view = {&t_view},
};

}  // namespace tenon::kernels::ops
