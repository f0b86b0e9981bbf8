// SPDX-License-Identifier: Apache-2.0
// Implements tenon::gelu_double_backward by calling other operators.
#include "kernels/ops/activation/gelu.h"

#include "kernels/common/call.h"

namespace tenon::kernels::ops {

namespace {

constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> times("aten::mul.Tensor");
constinit const LazyOp<Tensor(const Tensor&, const Scalar&)> times_number("aten::mul.Scalar");
constinit const LazyOp<Tensor(const Tensor&, const Scalar&, const Scalar&)> plus_number(
    "aten::add.Scalar");
constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Scalar&)> plus(
    "aten::add.Tensor");

// Returns a * x + b.
Tensor affine(const Tensor& x, double a, double b) {
  return plus_number(times_number(x, Scalar(a)), Scalar(b), Scalar(1));
}

// Returns the second derivative of x * (1 + erf(x / sqrt(2))) / 2.
Tensor second_of_gelu(const Tensor& x) {
  static constinit const LazyOp<Tensor(const Tensor&)> exponential("aten::exp");
  const Tensor square = times(x, x);
  const Tensor density =
      times_number(exponential(times_number(square, Scalar(-0.5))), Scalar(0.39894228040143267794));
  return times(density, affine(square, -1, 2));
}

// Returns the second derivative of x * (1 + t) / 2, where t is tanh(s * (x + k * x^3)): (1 - t^2) *
// (i' + x * i'' / 2 - x * t * i'^2) for the inner function i.
Tensor second_of_gelu_tanh(const Tensor& x) {
  static constinit const LazyOp<Tensor(const Tensor&)> tanh("aten::tanh");
  const Tensor square = times(x, x);
  const Tensor inner = times(x, affine(square, kGeluScale * kGeluCube, kGeluScale));
  const Tensor t = tanh(inner);
  const Tensor slope = affine(square, 3 * kGeluScale * kGeluCube, kGeluScale);
  const Tensor bend = times_number(square, Scalar(3 * kGeluScale * kGeluCube));
  const Tensor turn = times(times(x, t), times(slope, slope));
  return times(affine(times(t, t), -1, 1), plus(plus(slope, bend, Scalar(1)), turn, Scalar(-1)));
}

}  // namespace

void gelu_double_backward(const Call& call) {
  const bool is_exact = call.get<std::string_view>(2) == "none";
  const Tensor self = *call.get<Tensor>(1);
  call.give(
      0, times(call.get<Tensor>(0), is_exact ? second_of_gelu(self) : second_of_gelu_tanh(self)));
}

}  // namespace tenon::kernels::ops
