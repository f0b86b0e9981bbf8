// SPDX-License-Identifier: Apache-2.0
// What aten::log_sigmoid calls.
#include "kernels/ops/softplus.h"

#include "kernels/common/call.h"

namespace tenon::kernels::ops {

void log_sigmoid(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&)> negative("aten::neg");
  static constinit const LazyOp<Tensor(const Tensor&, const Scalar&, const Scalar&)> softplus(
      "aten::softplus");
  // Beyond 50 the logarithm is the element to all digits of a double.
  call.give(0, negative(softplus(negative(call.get<Tensor>(0)), Scalar(1), Scalar(50))));
}

}  // namespace tenon::kernels::ops
