// SPDX-License-Identifier: Apache-2.0
// aten::fmod: the remainder of a division that rounds towards 0, with the sign of self.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct Fmod {
  const char* op;
  static Fmod make(const Args& args) { return {args.op()}; }
  TENON_FUNCTOR T operator()(T x, T y) const {
    if constexpr (std::is_integral_v<T>) {
      if (y == 0) return maths::divided_by_zero<T>(op);
      // The smallest integer modulo -1 would trap.
      return std::is_signed_v<T> && y == T(-1) ? T(0) : static_cast<T>(x % y);
    } else {
      return maths::fmod(x, y);
    }
  }
};

inline constexpr Facts kFmodTensor{
    .family = &kPointwise,
    .name = "fmod.Tensor",
    .params = "Tensor self, Tensor other",
    .forms = kAllForms,
    .out = "Tensor_out",
    .gradient = "self: grad; other: -grad * trunc(self / other)",
    .tangent = "self_t - other_t * trunc(self / other)",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kReals}},
};

inline constexpr Facts kFmodScalar{
    .family = &kNumberForm,
    .name = "fmod.Scalar",
    .params = "Tensor self, Scalar other",
    .forms = kAllForms,
    .out = "Scalar_out",
    .gradient = "none: calls the tensor form",
    .tangent = "none: calls the tensor form",
    .batching = Batching::None,
    .cast = Cast::None,
    .tensor_form = &kFmodTensor,
};

}  // namespace tenon::kernels::ops
