// SPDX-License-Identifier: Apache-2.0
// aten::pow: a base to the power of an exponent, either of which may be a number.
#pragma once

#include "kernels/ops/arithmetic/mul.h"

namespace tenon::kernels::ops {

// Computes the power of integers by squaring, which wraps; negative powers are truncated.
template <class T>
TENON_FUNCTOR inline T integer_pow(T base, T exponent) {
  if (exponent < 0) {
    if (base == T(1)) return base;
    if (base == static_cast<T>(-1)) return exponent % 2 != 0 ? base : T(1);
    return T(0);
  }
  T power = T(1);
  for (; exponent != 0; exponent = static_cast<T>(exponent / 2)) {
    if (exponent % 2 != 0) power = maths::multiply(power, base);
    base = maths::multiply(base, base);
  }
  return power;
}

template <class T>
struct Pow {
  TENON_FUNCTOR T operator()(T base, T exponent) const {
    if constexpr (std::is_integral_v<T>) {
      return integer_pow(base, exponent);
    } else {
      if constexpr (is_complex_element<T>) {
        // The logarithm of a base of 0 would lead to NaN.
        if (exponent == T(0)) return T(1);
      }
      // A product is faster and exact for the most common exponent.
      return exponent == T(2) ? Mul<T>()(base, base) : maths::pow(base, exponent);
    }
  }
};

// In the gradient, a base of 0 is replaced by 1 where the formula's value is 0 but would be
// computed as NaN.
inline constexpr Facts kPowTensorTensor{
    .family = &kPointwise,
    .name = "pow.Tensor_Tensor",
    .params = "Tensor self, Tensor exponent",
    .forms = kFunctional | kOut,
    .out = "Tensor_Tensor_out",
    .gradient =
        "self: grad * (exponent * "
        "where(eq(self, 0) * eq(exponent, 0), 1, self).pow(exponent - 1)).conj(); "
        "exponent: grad * "
        "(result * where(eq(self, 0) * le(result.abs(), 1), 1, self).log()).conj()",
    .tangent =
        "self_t * (exponent * where(eq(self, 0) * eq(exponent, 0), 1, self).pow(exponent - 1)) + "
        "exponent_t * (result * where(eq(self, 0) * le(result.abs(), 1), 1, self).log())",
    .batching = Batching::Pointwise,
    .node_number = 1,
    .cast = Cast::Fp32,
    .cast_on_cpu = Cast::None,
    .pointwise = {.rule = {kNumbers}},
};
inline constexpr Facts kPowTensorInPlace{
    .family = &kPointwise,
    .name = "pow.Tensor",
    .params = "Tensor self, Tensor exponent",
    .forms = kInPlace,
    .tags = "pointwise",
    .gradient = kPowTensorTensor.gradient,
    .tangent = kPowTensorTensor.tangent,
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kNumbers}},
};

void pow_tensor_scalar(const Call& call);

inline constexpr Facts kPowTensorScalar{
    .family = &kExplicit,
    .name = "pow.Tensor_Scalar",
    .params = "Tensor self, Scalar exponent",
    .forms = kFunctional | kOut,
    .out = "Tensor_Scalar_out",
    .gradient = "self: pow_backward(grad, self, exponent)",
    .tangent = "pow_backward(self_t.conj(), self, exponent).conj()",
    .batching = Batching::Pointwise,
    .cast = Cast::Fp32,
    .cast_on_cpu = Cast::None,
    .routine = {&pow_tensor_scalar, /*writes_out=*/true},
};
inline constexpr Facts kPowScalarInPlace{
    .family = &kExplicit,
    .name = "pow.Scalar",
    .params = "Tensor self, Scalar exponent",
    .forms = kInPlace,
    .tags = "pointwise",
    .gradient = "self: pow_backward(grad, self, exponent)",
    .tangent = "pow_backward(self_t.conj(), self, exponent).conj()",
    .batching = Batching::Pointwise,
    .node_number = 2,
    .cast = Cast::None,
    .routine = {&pow_tensor_scalar},
};

void pow_scalar(const Call& call);

inline constexpr Facts kPowScalar{
    .family = &kComposite,
    .name = "pow.Scalar",
    .params = "Scalar self, Tensor exponent",
    .forms = kFunctional | kOut,
    .out = "Scalar_out",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Fp32,
    .cast_on_cpu = Cast::None,
    .routine = {&pow_scalar, /*writes_out=*/true},
};

}  // namespace tenon::kernels::ops
