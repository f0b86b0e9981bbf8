// SPDX-License-Identifier: Apache-2.0
// What aten::remainder of a number calls.
#include "kernels/ops/remainder.h"

#include "kernels/common/call.h"
#include "kernels/common/registrar.h"

namespace tenon::kernels::ops {

void remainder_of_number(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> remainder(
      "aten::remainder.Tensor");
  call.give(0, remainder(number_tensor(call.get<Scalar>(0)), call.get<Tensor>(1)));
}

}  // namespace tenon::kernels::ops
