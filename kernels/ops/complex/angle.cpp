// SPDX-License-Identifier: Apache-2.0
// Implements tenon::angle_backward by calling other operators.
#include "kernels/ops/complex/angle.h"

#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"

namespace tenon::kernels::ops {

void angle_backward(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> complex("aten::complex");
  static constinit const LazyOp<Tensor(const Tensor&)> imaginary("aten::imag");
  const Tensor grad = *call.get<Tensor>(0), self = *call.get<Tensor>(1);
  if (!is_complex(self.dtype())) return call.give(0, call_mul(grad, Scalar(0)));
  const Tensor size = call_abs(self), square = call_mul(size, size);
  const Tensor share =
      call_masked_fill(call_div(grad, square), call_eq(square, Scalar(0)), Scalar(0));
  call.give(0,
            complex(call_mul(share, call_neg(imaginary(self))), call_mul(share, call_real(self))));
}

}  // namespace tenon::kernels::ops
