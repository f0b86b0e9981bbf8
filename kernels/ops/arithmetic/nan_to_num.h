// SPDX-License-Identifier: Apache-2.0
// aten::nan_to_num: replaces NaN and infinite elements by numbers.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

// Returns the largest finite number of a floating dtype.
constexpr double largest_number(tenon_dtype dtype) {
  switch (dtype) {
    case TENON_DTYPE_F16:
      return 65504;
    case TENON_DTYPE_BF16:
      return 0x1.FEp127;
    case TENON_DTYPE_F32:
    case TENON_DTYPE_C64:
      return 0x1.FFFFFEp127;
    default:
      return 0x1.FFFFFFFFFFFFFp1023;
  }
}

template <class T>
struct NanToNum {
  Real<T> nan, highest, lowest;

  static NanToNum make(const Args& args) {
    using R = Real<T>;
    const R limit = static_cast<R>(largest_number(args.dtype()));
    return {args.is_none(1) ? R(0) : args.factor<R>(1, "nan"),
            args.is_none(2) ? limit : args.factor<R>(2, "posinf"),
            args.is_none(3) ? -limit : args.factor<R>(3, "neginf")};
  }
  TENON_FUNCTOR T operator()(T x) const {
    if constexpr (is_complex_element<T>) {
      return {replaced(x.re), replaced(x.im)};
    } else {
      return replaced(x);
    }
  }

 private:
  TENON_FUNCTOR Real<T> replaced(Real<T> x) const {
    const Real<T> number = x != x ? nan : x;
    if (number == Real<T>(__builtin_inf())) return highest;
    return number == -Real<T>(__builtin_inf()) ? lowest : number;
  }
};
// Integers are never NaN or infinite.
template <class T>
requires std::is_integral_v<T>
struct NanToNum<T> {
  TENON_FUNCTOR T operator()(T x) const { return x; }
};

inline constexpr Facts kNanToNum{
    .family = &kPointwise,
    .name = "nan_to_num",
    .params = "Tensor self, float? nan=None, float? posinf=None, float? neginf=None",
    .forms = kAllForms,
    .tags = "pointwise",
    .gradient = "self: grad * isfinite(self)",
    .tangent = "self_t * isfinite(self)",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kBool | kNumbers | kOrderedUnsigned}, .exact_outs = true},
};

}  // namespace tenon::kernels::ops
