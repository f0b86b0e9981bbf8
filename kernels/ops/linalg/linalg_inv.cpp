// SPDX-License-Identifier: Apache-2.0
// The results of aten::linalg_inv_ex, its gradient, and the implementation of aten::linalg_inv.
#include "kernels/ops/linalg/linalg_inv.h"

#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/linalg/matrices.h"

namespace tenon::kernels::ops {

Inverse inverse_of(const Call& call) {
  const Tensor a = *call.get<Tensor>(0);
  check_square_matrices(call.op(), "A", a);
  const Dims strides = column_major_strides(a.sizes());
  return {result_for(call, a.sizes(), a.dtype(), a.device(), strides.begin(), 0),
          result_for(call, batch_sizes(a.sizes()), Dtype::I32, a.device(), nullptr, 1)};
}

void linalg_inv_meta(const Call& call) {
  Inverse results = inverse_of(call);
  if (!call.form.is_functional()) return;
  call.give(0, std::move(results.inverse));
  call.give(1, std::move(results.info));
}

void linalg_inv(const Call& call) {
  static constinit const LazyOp<std::tuple<Tensor, Tensor>(const Tensor&, bool)> inverse(
      "aten::linalg_inv_ex");
  call.give(0, std::get<0>(inverse(*call.get<Tensor>(0), true)));
}

void linalg_inv_backward(const Call& call) {
  const Tensor turned = call_mH(*call.get<Tensor>(1));
  call.give(0, call_neg(call_matmul(call_matmul(turned, *call.get<Tensor>(0)), turned)));
}

}  // namespace tenon::kernels::ops
