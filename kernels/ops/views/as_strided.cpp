// SPDX-License-Identifier: Apache-2.0
// Argument checks of aten::as_strided.
#include "kernels/ops/views/as_strided.h"

#include "kernels/common/checked_size.h"

namespace tenon::kernels::ops {
namespace {

// Refuses a view whose elements are not all inside the storage.
void check_inside(const char* op, const View& view) {
  if (view.offset < 0) fail_argument(op, "storage_offset", "0 or more", view.offset);
  int64_t last = view.offset;
  for (int64_t d = 0; d < view.ndim(); ++d) {
    if (view.sizes[d] < 0) fail_argument(op, "size", "have no negative size", view.sizes);
    if (view.sizes[d] == 0) return;
    int64_t reach = 0;
    if (__builtin_mul_overflow(view.sizes[d] - 1, view.strides[d], &reach) ||
        __builtin_add_overflow(last, reach, &last)) {
      fail_argument(op, "stride", "small enough that all offsets fit into an int64", view.strides);
    }
  }
  const int64_t elements =
      tenon_storage_nbytes(tenon_tensor_storage(view.base)) / size_of(view.dtype);
  if (last >= elements) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {op, ": size and stride must stay inside the storage of ", elements, " elements, got ",
          view.sizes, " with strides ", view.strides, " from ", view.offset});
  }
}

}  // namespace

void as_strided_view(View& view, const Call& call) {
  const auto size = call.get<Sizes>(1);
  const auto stride = call.get<Sizes>(2);
  if (size.size() != stride.size()) {
    fail(TENON_ERROR_INVALID_ARGUMENT, {call.op(), ": stride must have ", size.size(),
                                        " numbers like size, got ", stride.size()});
  }
  bool are_kept = true;
  for (const int64_t step : stride) {
    if (static_cast<uint64_t>(step) <= static_cast<uint64_t>(kMostUnused)) continue;
    if (step < 0) fail_argument(call.op(), "stride", "have no negative stride", stride);
    are_kept = false;
  }
  view.sizes = Dims(size);
  view.strides = Dims(stride);
  view.offset = call.get<std::optional<int64_t>>(3).value_or(view.offset);
  check_inside(call.op(), view);
  for (int64_t d = 0; d < view.ndim() && !are_kept; ++d) {
    view.strides[d] = kept_stride(view.sizes[d], view.strides[d]);
  }
}

}  // namespace tenon::kernels::ops
