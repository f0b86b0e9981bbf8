// SPDX-License-Identifier: Apache-2.0
// Sizes and strides of views between complex numbers and pairs of real ones.
#include "kernels/ops/complex/view_as_real.h"

#include "kernels/common/checked_size.h"
#include "kernels/common/promotion.h"

namespace tenon::kernels::ops {
namespace {

Tensor part(const Tensor& self, int64_t which) {
  static constinit const LazyOp<Tensor(const Tensor&)> view_as_real("aten::view_as_real");
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, int64_t)> select("aten::select.int");
  return select(view_as_real(self), -1, which);
}

}  // namespace

void parts_view(View& view, const Call& call) {
  if (!is_complex(view.dtype)) {
    fail_dtype(call.op(), "self", view.dtype, "complex32, complex64, complex128");
  }
  view.dtype = to_real(view.dtype);
  for (int64_t& stride : view.strides) stride = wrapped_product(stride, 2);
  view.offset = wrapped_product(view.offset, 2);
  view.sizes.push_back(2);
  view.strides.push_back(1);
}

void pairs_view(View& view, const Call& call) {
  if (to_real(to_complex(view.dtype)) != view.dtype) {
    fail_dtype(call.op(), "self", view.dtype, "float16, float32, float64");
  }
  const int64_t last = view.ndim() - 1;
  if (last < 0 || view.sizes[last] != 2 || view.strides[last] != 1) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": self must have a last dim of size 2 and stride 1, got sizes ", view.sizes,
          " with strides ", view.strides});
  }
  view.remove(last);
  for (int64_t& stride : view.strides) {
    if (stride % 2 != 0) {
      fail_argument(call.op(), "self", "have even strides except in its last dim", view.strides);
    }
    stride /= 2;
  }
  if (view.offset % 2 != 0) {
    fail_argument(call.op(), "self", "have an even storage offset", view.offset);
  }
  view.offset /= 2;
  view.dtype = to_complex(view.dtype);
}

void real(const Call& call) {
  const Tensor self = *call.get<Tensor>(0);
  call.give(0, is_complex(self.dtype()) ? part(self, 0) : self);
}

void imag(const Call& call) {
  const Tensor self = *call.get<Tensor>(0);
  if (!is_complex(self.dtype())) {
    fail_dtype(call.op(), "self", self.dtype(), "complex64, complex128");
  }
  call.give(0, part(self, 1));
}

}  // namespace tenon::kernels::ops
