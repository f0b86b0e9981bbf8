// SPDX-License-Identifier: Apache-2.0
// Implements aten::outer by calling other operators.
#include "kernels/ops/matmul/outer.h"

#include "kernels/common/call.h"
#include "kernels/common/check.h"

namespace tenon::kernels::ops {

void outer(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, int64_t)> unsqueeze("aten::unsqueeze");
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> mul("aten::mul.Tensor");
  const Tensor self = *call.get<Tensor>(0);
  const Tensor other = *call.get<Tensor>(1);
  if (self.ndim() != 1) fail_argument(call.op(), "self", "a vector (1 dim)", self.sizes());
  if (other.ndim() != 1) fail_argument(call.op(), "vec2", "a vector (1 dim)", other.sizes());
  call.give(0, mul(unsqueeze(self, 1), other));
}

}  // namespace tenon::kernels::ops
