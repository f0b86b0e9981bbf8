// SPDX-License-Identifier: Apache-2.0
// aten::permute: a view with the dims in another order.
#pragma once

#include "kernels/common/families/view.h"

namespace tenon::kernels::ops {

inline void permute_view(View& view, const Call& call) {
  const auto dims = call.get<Sizes>(1);
  if (static_cast<int64_t>(dims.size()) != view.ndim()) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": dims must name each of the ", view.ndim(), " dims once, got ", dims});
  }
  uint64_t seen = 0;
  for (int64_t i = 0; i < view.ndim(); ++i) {
    const int64_t dim = wrap_dim(call.op(), dims[static_cast<size_t>(i)], view.ndim());
    if ((seen >> dim & 1) != 0) fail_argument(call.op(), "dims", "free of duplicates", dims);
    seen |= uint64_t{1} << dim;
    view.sizes[i] = view.info.sizes[dim];
    view.strides[i] = view.info.strides[dim];
  }
}

inline constexpr Facts kPermute{
    .family = &kView,
    .name = "permute",
    .params = "Tensor(a) self, int[] dims",
    .returns = "Tensor(a)",
    .forms = kViewForms,
    .tags = "core inverse=aten::permute($part,$inverse:dims)",
    .gradient = "self: grad.permute(inverse(dims))",
    .tangent = "self_t.permute(dims)",
    .batching = Batching::View,
    .cast = Cast::None,
    .view = {&permute_view},
};

}  // namespace tenon::kernels::ops
