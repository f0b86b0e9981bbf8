// SPDX-License-Identifier: Apache-2.0
// aten::remainder: the remainder of a division that rounds down, with the sign of the divisor.
#pragma once

#include "kernels/common/args.h"
#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct Remainder {
  const char* op;
  static Remainder make(const Args& args) { return {args.op()}; }
  TENON_FUNCTOR T operator()(T x, T y) const {
    if constexpr (std::is_integral_v<T>) {
      if (y == 0) return maths::divided_by_zero<T>(op);
      if (std::is_signed_v<T> && y == T(-1)) return 0;
      const T left = static_cast<T>(x % y);
      return static_cast<T>(left != 0 && (left < 0) != (y < 0) ? left + y : left);
    } else {
      const T left = maths::fmod(x, y);
      return left != 0 && (left < 0) != (y < 0) ? left + y : left;
    }
  }
};

inline constexpr Facts kRemainderTensor{
    .family = &kPointwise,
    .name = "remainder.Tensor",
    .params = "Tensor self, Tensor other",
    .forms = kAllForms,
    .out = "Tensor_out",
    .tags = kPointwiseWithNumbers,
    .gradient = "self: grad; other: -grad * floor(self / other)",
    .tangent = "self_t - other_t * floor(self / other)",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kReals}},
};
inline constexpr Facts kRemainderScalar{
    .family = &kNumberForm,
    .name = "remainder.Scalar",
    .params = "Tensor self, Scalar other",
    .forms = kAllForms,
    .out = "Scalar_out",
    .tags = kPointwiseWithNumbers,
    .gradient = "none: calls the tensor form",
    .tangent = "none: calls the tensor form",
    .batching = Batching::None,
    .cast = Cast::None,
    .tensor_form = &kRemainderTensor,
};

inline constexpr Facts kRemainderScalarTensor{
    .family = &kNumberForm,
    .name = "remainder.Scalar_Tensor",
    .params = "Scalar self, Tensor other",
    .forms = kFunctional | kOut,
    .out = "Scalar_Tensor_out",
    .tags = "pointwise",
    .gradient = "none: calls the tensor form",
    .tangent = "none: calls the tensor form",
    .batching = Batching::None,
    .cast = Cast::None,
    .tensor_form = &kRemainderTensor,
};

}  // namespace tenon::kernels::ops
