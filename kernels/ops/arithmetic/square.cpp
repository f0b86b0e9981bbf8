// SPDX-License-Identifier: Apache-2.0
// Implements aten::square by calling other operators.
#include "kernels/ops/arithmetic/square.h"

#include "kernels/common/call.h"

namespace tenon::kernels::ops {

void square(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, const Scalar&)> pow(
      "aten::pow.Tensor_Scalar");
  static constinit const LazyOp<void(const Tensor&, const Scalar&)> pow_in_place(
      "aten::pow_.Scalar");
  static constinit const LazyOp<void(const Tensor&, const Scalar&, const Tensor&)> pow_out(
      "aten::pow.Tensor_Scalar_out");
  const Tensor self = *call.get<Tensor>(0);
  const Scalar two(2);
  if (call.form.is_functional()) {
    call.give(0, pow(self, two));
  } else if (call.form.is_out()) {
    pow_out(self, two, *call.get<Tensor>(1));
  } else {
    pow_in_place(self, two);
  }
}

}  // namespace tenon::kernels::ops
