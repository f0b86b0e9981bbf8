// SPDX-License-Identifier: Apache-2.0
// Implements tenon::pow_backward by calling other operators.
#include "kernels/ops/arithmetic/pow_backward.h"

#include "kernels/common/call.h"

namespace tenon::kernels::ops {
namespace {

Scalar less_one(const Scalar& number) {
  if (number.is_complex()) return number.to_complex() - 1.0;
  if (number.is_float()) return number.to_double() - 1.0;
  if (number.to_int() == INT64_MIN) return number.to_double() - 1.0;
  return number.to_int() - 1;
}

}  // namespace

void pow_backward(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, const Scalar&)> pow(
      "aten::pow.Tensor_Scalar");
  static constinit const LazyOp<Tensor(const Tensor&, const Scalar&)> scaled("aten::mul.Scalar");
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> mul("aten::mul.Tensor");
  static constinit const LazyOp<Tensor(const Tensor&)> conj("aten::conj");
  const auto grad = call.get<Tensor>(0);
  const auto self = call.get<Tensor>(1);
  const auto exponent = call.get<Scalar>(2);
  // Avoids the power, which would be NaN at 0.
  if (exponent.to_complex() == 0.0) return call.give(0, scaled(grad, Scalar(int64_t{0})));
  call.give(0, mul(grad, conj(scaled(pow(self, less_one(exponent)), exponent))));
}

}  // namespace tenon::kernels::ops
