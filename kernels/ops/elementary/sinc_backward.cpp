// SPDX-License-Identifier: Apache-2.0
// Implements tenon::sinc_backward by calling other operators.
#include "kernels/ops/elementary/sinc_backward.h"

#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"

namespace tenon::kernels::ops {

void sinc_backward(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&)> cosine("aten::cos"), sine("aten::sin");
  const Tensor grad = *call.get<Tensor>(0), self = *call.get<Tensor>(1);
  const Scalar pi(3.14159265358979323846);
  const Tensor angle = call_mul(self, pi);
  const Tensor slope = call_div(call_sub(call_mul(angle, cosine(angle)), sine(angle)),
                                call_mul(call_mul(self, self), pi));
  const Tensor safe = call_masked_fill(slope, call_eq(self, Scalar(0)), Scalar(0));
  call.give(0, call_mul(grad, call_conj(safe)));
}

}  // namespace tenon::kernels::ops
