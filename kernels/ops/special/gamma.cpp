// SPDX-License-Identifier: Apache-2.0
// Implements aten::polygamma by calling other operators.
#include "kernels/ops/special/gamma.h"

#include "kernels/common/cast_out.h"
#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"

namespace tenon::kernels::ops {

void polygamma(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, int64_t)> of_order("tenon::polygamma_of");
  const auto order = call.get<int64_t>(0);
  if (order < 0) fail_argument(call.op(), "n", "at least 0", order);
  give_or_cast(call, of_order(*call.get<Tensor>(1), order));
}

}  // namespace tenon::kernels::ops
