// SPDX-License-Identifier: Apache-2.0
// Sizes and strides of aten::expand.
#include "kernels/ops/views/expand.h"

#include "kernels/common/checked_size.h"
#include "kernels/ops/calls.h"
namespace tenon::kernels::ops {

void expand_view(View& view, const Call& call) {
  const auto size = call.get<Sizes>(1);
  const auto ndim = static_cast<int64_t>(size.size());
  const int64_t added = ndim - view.ndim();
  if (added < 0) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": size must have at least ", view.ndim(), " numbers, got ", size});
  }
  const Dims sizes = view.sizes;
  const Dims strides = view.strides;
  view.sizes.resize(ndim);
  view.strides.resize(ndim);
  // Goes from right to left, because the stride of a new leading dim is the size times the stride
  // of the dim after it. It is 0 if there is no such dim.
  for (int64_t i = ndim - 1; i >= 0; --i) {
    const int64_t old = i - added;
    int64_t wanted = size[static_cast<size_t>(i)];
    int64_t current = 1;
    int64_t stride = 0;
    if (old >= 0) {
      current = sizes[old];
      stride = strides[old];
    } else if (i + 1 < ndim) {
      stride = wrapped_product(view.sizes[i + 1], view.strides[i + 1]);
    }
    if (wanted == -1) {
      if (old < 0) fail_argument(call.op(), "size", "have no -1 for new leading dims", size);
      wanted = current;
    }
    if (wanted != current) {
      if (current != 1 || wanted < 0) {
        fail(TENON_ERROR_INVALID_ARGUMENT,
             {call.op(), ": size must match ", sizes, " in dims that are not 1, got ", size});
      }
      stride = 0;
    }
    view.sizes[i] = wanted;
    view.strides[i] = stride;
  }
}

void expand_as(const Call& call) {
  call.give(0, call_expand(call.get<Tensor>(0), call.get<Tensor>(1)->sizes()));
}

void broadcast_to(const Call& call) {
  call.give(0, call_expand(call.get<Tensor>(0), call.get<Sizes>(1)));
}

}  // namespace tenon::kernels::ops
