// SPDX-License-Identifier: Apache-2.0
// aten::unsqueeze: a view with a dim of size 1 inserted.
#pragma once

#include "kernels/common/checked_size.h"
#include "kernels/common/families/view.h"

namespace tenon::kernels::ops {

inline void unsqueeze_view(View& view, const Call& call) {
  const int64_t dim = wrap_dim(call.op(), call.get<int64_t>(1), view.ndim() + 1);
  const bool inside = dim < view.ndim();
  const int64_t stride = inside ? wrapped_product(view.sizes[dim], view.strides[dim]) : int64_t{1};
  view.sizes.insert(dim, 1);
  view.strides.insert(dim, stride);
}

inline constexpr Facts kUnsqueeze{
    .family = &kView,
    .name = "unsqueeze",
    .params = "Tensor(a) self, int dim",
    .returns = "Tensor(a)",
    .forms = kViewForms | kInPlace,
    .tags = "core inverse=aten::view($part,$sizes)",
    .gradient = "self: grad.squeeze(dim)",
    .tangent = "self_t.unsqueeze(dim)",
    .batching = Batching::View,
    .cast = Cast::None,
    .view = {&unsqueeze_view},
};

}  // namespace tenon::kernels::ops
