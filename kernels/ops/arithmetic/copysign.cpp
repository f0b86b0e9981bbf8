// SPDX-License-Identifier: Apache-2.0
// Implements tenon::copysign_backward by calling other operators.
#include "kernels/ops/arithmetic/copysign.h"

#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"

namespace tenon::kernels::ops {

void copysign_backward(const Call& call) {
  const Tensor self = *call.get<Tensor>(1);
  const Tensor ratio =
      call_masked_fill(call_div(*call.get<Tensor>(2), self), call_eq(self, Scalar(0)), Scalar(0));
  call.give(0, call_mul(*call.get<Tensor>(0), ratio));
}

}  // namespace tenon::kernels::ops
