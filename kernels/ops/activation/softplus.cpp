// SPDX-License-Identifier: Apache-2.0
// What aten::log_sigmoid calls.
#include "kernels/ops/activation/softplus.h"

#include "kernels/common/call.h"

namespace tenon::kernels::ops {

void log_sigmoid(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&)> negative("aten::neg");
  static constinit const LazyOp<Tensor(const Tensor&, const Scalar&, const Scalar&)> softplus(
      "aten::softplus");
  // Beyond 50 the logarithm is the element to all digits of a double.
  static constinit const LazyOp<Tensor(const Tensor&, MemoryFormat)> contiguous("aten::contiguous");
  const Tensor dense = contiguous(call.get<Tensor>(0), MemoryFormat::Contiguous);
  call.give(0, negative(softplus(negative(dense), Scalar(1), Scalar(50))));
}

}  // namespace tenon::kernels::ops
