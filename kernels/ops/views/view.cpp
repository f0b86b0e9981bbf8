// SPDX-License-Identifier: Apache-2.0
// Sizes and strides of both forms of aten::view.
#include "kernels/ops/views/view.h"

#include "kernels/common/checked_size.h"

namespace tenon::kernels::ops {
namespace {

// Views each element as `factor` smaller ones.
void split_elements(View& view, const char* op, int64_t factor) {
  const int64_t last = view.ndim() - 1;
  if (view.strides[last] != 1) {
    fail_argument(op, "self",
                  "have stride 1 in its last dim to be viewed as a dtype of another size",
                  view.strides);
  }
  view.sizes[last] = (CheckedSize(op, view.sizes[last]) * factor).value();
  for (int64_t d = 0; d < last; ++d) view.strides[d] = wrapped_product(view.strides[d], factor);
  view.offset = (CheckedSize(op, view.offset) * factor).value();
}

// Views `factor` elements as one.
void join_elements(View& view, const char* op, int64_t factor) {
  const int64_t last = view.ndim() - 1;
  if (view.sizes[last] % factor != 0 || view.strides[last] != 1) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {op, ": self must have a last dim of stride 1 and of a size divisible by ", factor,
          " for this dtype, got sizes ", view.sizes, " with strides ", view.strides});
  }
  for (int64_t d = 0; d < last; ++d) {
    if (view.strides[d] % factor != 0) {
      fail(TENON_ERROR_INVALID_ARGUMENT, {op, ": self must have strides divisible by ", factor,
                                          " for this dtype, got ", view.strides});
    }
    view.strides[d] /= factor;
  }
  if (view.offset % factor != 0) {
    fail(TENON_ERROR_INVALID_ARGUMENT, {op, ": self must have a storage offset that ", factor,
                                        " divides for this dtype, got ", view.offset});
  }
  view.sizes[last] /= factor;
  view.offset /= factor;
}

}  // namespace

void reshaped_view(View& view, const Call& call) {
  const auto size = call.get<Sizes>(1);
  const Dims sizes = infer_sizes(call.op(), size, view.info.numel);
  const std::optional<Dims> strides = view_strides(view.info, sizes);
  if (!strides) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": size must be compatible with the sizes and strides of self, got ", size,
          " for sizes ", view.sizes, " with strides ", view.strides,
          "; use reshape() instead, which copies"});
  }
  view.sizes = sizes;
  view.strides = *strides;
}

void recast_view(View& view, const Call& call) {
  const auto dtype = call.get<Dtype>(1);
  const int64_t from = size_of(view.dtype);
  const int64_t to = size_of(dtype);
  if (from != to && view.ndim() == 0) {
    fail_argument(call.op(), "self", "have at least 1 dim to be viewed as a dtype of another size",
                  "a 0-dim tensor");
  }
  if (from > to) split_elements(view, call.op(), from / to);
  if (from < to) join_elements(view, call.op(), to / from);
  view.dtype = dtype;
}

void view_as(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, Sizes)> view("aten::view");
  call.give(0, view(call.get<Tensor>(0), call.get<Tensor>(1)->sizes()));
}

}  // namespace tenon::kernels::ops
