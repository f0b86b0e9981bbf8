// SPDX-License-Identifier: Apache-2.0
// Implements tenon::logit_backward by calling other operators.
#include "kernels/ops/special/logit.h"

#include <limits>

#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"

namespace tenon::kernels::ops {

void logit_backward(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, const Scalar&)> below("aten::lt.Scalar"),
      above("aten::gt.Scalar");
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> either("aten::logical_or");
  const Tensor self = *call.get<Tensor>(1);
  const auto eps = call.get<std::optional<double>>(2);
  const Tensor slope =
      call_div(*call.get<Tensor>(0), call_mul(self, call_add(call_neg(self), Scalar(1))));
  const Tensor is_outside =
      either(below(self, Scalar(eps.value_or(0))), above(self, Scalar(1 - eps.value_or(0))));
  call.give(0, call_masked_fill(slope, is_outside,
                                Scalar(eps ? 0 : std::numeric_limits<double>::quiet_NaN())));
}

}  // namespace tenon::kernels::ops
