// SPDX-License-Identifier: Apache-2.0
// What aten::glu and aten::prelu call.
#include "kernels/ops/glu.h"

#include "kernels/common/call.h"
#include "kernels/common/promotion.h"
#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/calls.h"

namespace tenon::kernels::ops {

void glu(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&)> sigmoid("aten::sigmoid");
  const Tensor self = *call.get<Tensor>(0);
  if (self.ndim() == 0) fail_argument(call.op(), "self", "of 1 dim at least", "a 0-dim tensor");
  if (!is_floating(self.dtype())) fail_dtype(call.op(), "self", self.dtype(), "floating");
  const int64_t dim = wrap_dim(call.op(), call.get<int64_t>(1), self.ndim());
  const int64_t size = self.sizes()[static_cast<size_t>(dim)];
  if (size % 2 != 0) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": self must be of an even size at dim ", dim, ", got ", size});
  }
  const Tensor values = call_slice(self, dim, 0, size / 2);
  call.give(0, call_mul(values, sigmoid(call_slice(self, dim, size / 2, size))));
}

void prelu(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, const Scalar&)> above("aten::gt.Scalar");
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Tensor&)> where(
      "aten::where.self");
  const Tensor self = *call.get<Tensor>(0), weight = *call.get<Tensor>(1);
  check_dtype_of(call.op(), "weight", weight.dtype(), "self", self.dtype());
  const int64_t channels = self.ndim() >= 2 ? self.sizes()[1] : 1;
  const bool fits = weight.ndim() <= 1 && (weight.numel() == 1 || weight.numel() == channels) &&
                    (self.ndim() > 0 || weight.numel() == 1);
  if (!fits) {
    fail(TENON_ERROR_INVALID_ARGUMENT, {call.op(), ": weight must be 1 number or one for each of ",
                                        channels, " channels, got sizes ", weight.sizes()});
  }
  Dims sizes = Dims::filled(self.ndim(), 1);
  if (self.ndim() >= 2) sizes[1] = weight.numel();
  const Tensor slope = call_reshape(weight, sizes);
  call.give(0, where(above(self, Scalar(0)), self, call_mul(slope, self)));
}

}  // namespace tenon::kernels::ops
