// SPDX-License-Identifier: Apache-2.0
// Implements aten::linalg_matrix_power by calling other operators.
#include "kernels/ops/linalg/matrix_power.h"

#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/calls.h"
#include "kernels/ops/factories/factory.h"

namespace tenon::kernels::ops {

void matrix_power(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&)> inverse("aten::linalg_inv");
  Tensor self = *call.get<Tensor>(0);
  const auto given = call.get<int64_t>(1);
  // The absolute value of -2^63 does not fit int64.
  auto times = static_cast<uint64_t>(given);
  if (self.ndim() < 2 || self.size(-1) != self.size(-2)) {
    fail_argument(call.op(), "self", "square matrices", self.sizes());
  }
  if (given < 0) {
    self = inverse(self);
    times = 0 - times;
  }
  if (times == 0) {
    Tensor ones = call_zeros(self.sizes(), options_like(kind_of(self), {}));
    Tensor diagonal = call_diagonal(ones, 0, -2, -1);
    call_fill(diagonal, Scalar(1));
    return call.give(0, std::move(ones));
  }
  std::optional<Tensor> product;
  for (Tensor square = self;; square = call_matmul(square, square)) {
    if ((times & 1) != 0) product = product ? call_matmul(*product, square) : square;
    times >>= 1;
    if (times == 0) break;
  }
  call.give(0, product->get() == self.get() ? call_clone(self, MemoryFormat::Preserve) : *product);
}

}  // namespace tenon::kernels::ops
