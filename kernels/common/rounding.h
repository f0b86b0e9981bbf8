// SPDX-License-Identifier: Apache-2.0
// Rounding: results in between, as precise as their dtype, where a computation in float is more.
#pragma once

#include "kernels/common/maths/half.h"
#include "tenon/types.h"

namespace tenon::kernels {

// The float nearest to `value` that float16 or bfloat16 has.
TENON_FUNCTOR inline float nearest(tenon_dtype small_float, float value) {
  return small_float == TENON_DTYPE_F16 ? float(Half(value)) : float(BFloat16(value));
}
// The same on the host, out of line: loops that seldom round stay small.
float round_to(tenon_dtype small_float, float value);

class Rounding {
 public:
  explicit Rounding(tenon_dtype dtype)
      : small_(dtype == TENON_DTYPE_F16 || dtype == TENON_DTYPE_BF16 ? dtype : TENON_DTYPE_NONE) {}

  TENON_FUNCTOR float operator()(float value) const {
    if (small_ == TENON_DTYPE_NONE) return value;
#if defined(__CUDA_ARCH__)
    return nearest(small_, value);
#else
    return round_to(small_, value);
#endif
  }
  TENON_FUNCTOR double operator()(double value) const { return value; }

 private:
  tenon_dtype small_;
};

}  // namespace tenon::kernels
