// SPDX-License-Identifier: Apache-2.0
// Implements aten::log_sigmoid by calling other operators.
#include "kernels/ops/activation/softplus.h"

#include "kernels/common/call.h"

namespace tenon::kernels::ops {

void log_sigmoid(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&)> negative("aten::neg");
  static constinit const LazyOp<Tensor(const Tensor&, const Scalar&, const Scalar&)> softplus(
      "aten::softplus");
  // Above 50 the result equals the element to double precision.
  static constinit const LazyOp<Tensor(const Tensor&, MemoryFormat)> contiguous("aten::contiguous");
  const Tensor dense = contiguous(call.get<Tensor>(0), MemoryFormat::Contiguous);
  call.give(0, negative(softplus(negative(dense), Scalar(1), Scalar(50))));
}

}  // namespace tenon::kernels::ops
