// SPDX-License-Identifier: Apache-2.0
// aten::select: a view of one index of a dim, without that dim.
#pragma once

#include "kernels/common/families/view.h"

namespace tenon::kernels::ops {

// [quote.begin view]
inline void select_view(View& view, const Call& call) {
  if (view.ndim() == 0) {
    fail(TENON_ERROR_INDEX, {call.op(), ": self must have at least 1 dim, got a 0-dim tensor"});
  }
  const int64_t dim = wrap_dim(call.op(), call.get<int64_t>(1), view.ndim());
  const auto index = call.get<int64_t>(2);
  const int64_t size = view.sizes[dim];
  if (index < -size || index >= size) {
    fail(TENON_ERROR_INDEX, {call.op(), ": index must be in [", -size, ", ", size - 1,
                             "] for sizes ", view.sizes, " at dim ", dim, ", got ", index});
  }
  view.offset += (index < 0 ? index + size : index) * view.strides[dim];
  view.remove(dim);
}

inline constexpr Facts kSelect{
    .family = &kView,
    .name = "select.int",
    .params = "Tensor(a) self, int dim, SymInt index",
    .returns = "Tensor(a)",
    .forms = kViewForms,
    .tags = "core inverse=aten::select_scatter($base,$part,dim,index)",
    .gradient = "self: select_backward(grad, self.sizes(), dim, index)",
    .tangent = "self_t.select(dim, index)",
    .batching = Batching::View,
    .cast = Cast::None,
    .view = {&select_view},
};
// [quote.end]

}  // namespace tenon::kernels::ops
