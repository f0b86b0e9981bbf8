// SPDX-License-Identifier: Apache-2.0
// Implements aten::glu and aten::prelu by calling other operators.
#include "kernels/ops/activation/glu.h"

#include "kernels/common/cast_out.h"
#include "kernels/common/promotion.h"
#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/calls.h"
#include "kernels/ops/symbolic/calls.h"

namespace tenon::kernels::ops {

void glu(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&)> sigmoid("aten::sigmoid");
  const Tensor self = *call.get<Tensor>(0);
  if (self.ndim() == 0) fail_argument(call.op(), "self", "have at least 1 dim", "a 0-dim tensor");
  if (!is_floating(self.dtype())) fail_dtype(call.op(), "self", self.dtype(), "floating");
  const int64_t dim = wrap_dim(call.op(), call.get<int64_t>(1), self.ndim());
  const SymbolicSize size = word_along(self, dim), half = size / 2;
  if (!(half * 2 == size)) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": self must have an even size at dim ", dim, ", got ", text_of(size)});
  }
  const Tensor values = call_slice(self, dim, SymbolicSize(0), half);
  give_or_cast(call, call_mul(values, sigmoid(call_slice(self, dim, half, size))));
}

void prelu(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, const Scalar&)> above("aten::gt.Scalar");
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Tensor&)> where(
      "aten::where.self");
  const Tensor self = *call.get<Tensor>(0), weight = *call.get<Tensor>(1);
  check_dtype_of(call.op(), "weight", weight.dtype(), "self", self.dtype());
  const SymbolicSize channels = self.ndim() >= 2 ? word_along(self, 1) : SymbolicSize(1);
  const SymbolicSize count = numel_word(weight);
  const bool fits =
      weight.ndim() <= 1 && (count == 1 || count == channels) && (self.ndim() > 0 || count == 1);
  if (!fits) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": weight must be 1 number or one for each of ", text_of(channels),
          " channels, got sizes ", text_of(words_of(weight))});
  }
  SymbolicDims sizes = SymbolicDims::filled(self.ndim(), 1);
  if (self.ndim() >= 2) sizes[1] = count;
  const Tensor slope = call_reshape(weight, sizes);
  call.give(0, where(above(self, Scalar(0)), self, call_mul(slope, self)));
}

}  // namespace tenon::kernels::ops
