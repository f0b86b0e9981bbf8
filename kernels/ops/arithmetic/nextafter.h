// SPDX-License-Identifier: Apache-2.0
// aten::nextafter: the next representable number in the direction of another.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

// Returns the next float that float16 or bfloat16 can represent. These are the floats whose lower
// bits are zero, for bfloat16 all of them and for float16 those from 2^-14 on. Below, steps are
// 2^-24.
TENON_FUNCTOR inline float next_small(float x, float y, bool is_half) {
  if (x != x || y != y) return x + y;
  if (x == y) return y;
  const float least = is_half ? 0x1p-24F : 0x1p-133F;
  if (x == 0) return y > 0 ? least : -least;
  const float size = x < 0 ? -x : x;
  const bool grows = (y > x) == (x > 0);
  float next;
  if (is_half && size < (grows ? 0x1p-14F : 0x1.004p-14F)) {
    next = grows ? size + least : size - least;
  } else if (is_half && size == 65504.0F && grows) {
    next = __builtin_inff();
  } else if (is_half && size == __builtin_inff()) {
    next = 65504.0F;
  } else {
    const uint32_t step = is_half ? 1U << 13 : 1U << 16;
    const uint32_t bits = __builtin_bit_cast(uint32_t, size);
    next = __builtin_bit_cast(float, grows ? bits + step : bits - step);
  }
  return x < 0 ? -next : next;
}

template <class T>
struct NextAfter {
  tenon_dtype dtype;

  static NextAfter make(const Args& args) { return {args.dtype()}; }
  TENON_FUNCTOR T operator()(T x, T y) const {
    if constexpr (sizeof(T) == 4) {
      if (dtype != TENON_DTYPE_F32) return next_small(x, y, dtype == TENON_DTYPE_F16);
      return TENON_MATHS(nextafterf)(x, y);
    } else {
      return TENON_MATHS(nextafter)(x, y);
    }
  }
};

inline constexpr Facts kNextafter{
    .family = &kPointwise,
    .name = "nextafter",
    .params = "Tensor self, Tensor other",
    .forms = kAllForms,
    .tags = "pointwise",
    .gradient = "self: grad",
    .tangent = "self_t",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats}},
};

}  // namespace tenon::kernels::ops
