// SPDX-License-Identifier: Apache-2.0
// aten::squeeze: a view without dims of size 1, or without those among the given dims.
#pragma once

#include "kernels/common/families/view.h"

namespace tenon::kernels::ops {

inline void squeeze_view(View& view, const Call&) {
  for (int64_t dim = view.ndim() - 1; dim >= 0; --dim) {
    if (view.sizes[dim] == 1) view.remove(dim);
  }
}

inline constexpr Facts kSqueeze{
    .family = &kView,
    .name = "squeeze",
    .params = "Tensor(a) self",
    .returns = "Tensor(a)",
    .forms = kViewForms | kInPlace,
    .tags = "inverse=aten::view($part,$sizes)",
    .gradient = "self: grad.reshape(self.sizes())",
    .tangent = "self_t.squeeze()",
    .batching = Batching::View,
    .cast = Cast::None,
    .view = {&squeeze_view},
};

inline void squeeze_dim_view(View& view, const Call& call) {
  const int64_t dim = wrap_dim(call.op(), call.get<int64_t>(1), view.ndim());
  if (view.ndim() > 0 && view.sizes[dim] == 1) view.remove(dim);
}

inline constexpr Facts kSqueezeDim{
    .family = &kView,
    .name = "squeeze.dim",
    .params = "Tensor(a) self, int dim",
    .returns = "Tensor(a)",
    .forms = kViewForms | kInPlace,
    .tags = "core inverse=aten::view($part,$sizes)",
    .gradient = "self: grad.reshape(self.sizes())",
    .tangent = "self_t.squeeze(dim)",
    .batching = Batching::View,
    .node_number = 1,
    .cast = Cast::None,
    .view = {&squeeze_dim_view},
};

inline void squeeze_dims_view(View& view, const Call& call) {
  const auto dims = call.get<Sizes>(1);
  uint64_t named = 0;
  for (const int64_t given : dims) {
    const int64_t dim = wrap_dim(call.op(), given, view.ndim());
    if ((named >> dim & 1) != 0) fail_argument(call.op(), "dim", "free of duplicates", dims);
    named |= uint64_t{1} << dim;
  }
  for (int64_t dim = view.ndim() - 1; dim >= 0; --dim) {
    if ((named >> dim & 1) != 0 && view.sizes[dim] == 1) view.remove(dim);
  }
}

inline constexpr Facts kSqueezeDims{
    .family = &kView,
    .name = "squeeze.dims",
    .params = "Tensor(a) self, int[] dim",
    .returns = "Tensor(a)",
    .forms = kViewForms | kInPlace,
    .tags = "core inverse=aten::view($part,$sizes)",
    .gradient = "self: grad.reshape(self.sizes())",
    .tangent = "self_t.squeeze(dim)",
    .batching = Batching::View,
    .node_number = 2,
    .cast = Cast::None,
    .view = {&squeeze_dims_view},
};

}  // namespace tenon::kernels::ops
