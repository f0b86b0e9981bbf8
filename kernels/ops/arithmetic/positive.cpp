// SPDX-License-Identifier: Apache-2.0
// Implements aten::positive by calling other operators.
#include "kernels/ops/arithmetic/positive.h"

#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"

namespace tenon::kernels::ops {

void positive(const Call& call) {
  const Tensor self = *call.get<Tensor>(0);
  if (self.dtype() == Dtype::Bool) fail_dtype(call.op(), "self", self.dtype(), "numeric");
  call.give(0, Tensor(self));
}

}  // namespace tenon::kernels::ops
