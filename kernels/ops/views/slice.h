// SPDX-License-Identifier: Apache-2.0
// aten::slice: a view of every step-th element of one dim from start up to end, as Python slices.
#pragma once

#include "kernels/common/checked_size.h"
#include "kernels/common/families/view.h"

namespace tenon::kernels::ops {

inline void slice_view(View& view, const Call& call) {
  if (view.ndim() == 0) {
    fail_argument(call.op(), "self", "have at least 1 dim", "a 0-dim tensor");
  }
  const int64_t dim = wrap_dim(call.op(), call.get<int64_t>(1), view.ndim());
  const auto step = call.get<int64_t>(4);
  if (step <= 0) fail_argument(call.op(), "step", "greater than 0", step);
  const int64_t size = view.sizes[dim];
  const auto clamped = [size](int64_t index, int64_t lowest) {
    if (index < 0) index += size;
    return std::clamp(index, lowest, size);
  };
  const int64_t first = clamped(call.get<std::optional<int64_t>>(2).value_or(0), 0);
  const int64_t last = clamped(call.get<std::optional<int64_t>>(3).value_or(INT64_MAX), first);
  view.offset = wrapped_sum(view.offset, wrapped_product(first, view.strides[dim]));
  const int64_t length = last - first;
  if (step < length) {  // at least two elements, so that the product is inside the storage
    view.sizes[dim] = ceil_quotient(length, step);
    view.strides[dim] = wrapped_product(view.strides[dim], step);
    return;
  }
  view.sizes[dim] = length > 0 ? 1 : 0;
  if (__builtin_mul_overflow(view.strides[dim], step, &view.strides[dim])) {
    view.strides[dim] = INT64_MAX;
  }
  view.strides[dim] = kept_stride(0, view.strides[dim]);
}

inline constexpr Facts kSlice{
    .family = &kView,
    .name = "slice.Tensor",
    .params = "Tensor(a) self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1",
    .returns = "Tensor(a)",
    .forms = kViewForms,
    .tags = "core inverse=aten::slice_scatter($base,$part,dim,start,end,step)",
    .gradient =
        "self: slice_backward(grad, self.sizes(), dim, if_none(start, 0, start), "
        "if_none(end, 9223372036854775807, end), step)",
    .tangent = "self_t.slice(dim, start, end, step)",
    .batching = Batching::View,
    .cast = Cast::None,
    .view = {&slice_view},
};

}  // namespace tenon::kernels::ops
