// SPDX-License-Identifier: Apache-2.0
// Implements aten::trace by calling other operators.
#include "kernels/ops/linalg/trace.h"

#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"

namespace tenon::kernels::ops {

void trace(const Call& call) {
  const Tensor self = *call.get<Tensor>(0);
  if (self.ndim() != 2) fail_argument(call.op(), "self", "a matrix (2 dims)", self.sizes());
  call.give(0, call_sum(call_diagonal(self, 0, 0, 1), {}));
}

}  // namespace tenon::kernels::ops
