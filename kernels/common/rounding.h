// SPDX-License-Identifier: Apache-2.0
// Rounds intermediate results, which are computed in float, to a 16-bit float dtype.
#pragma once

#include "kernels/common/maths/half.h"
#include "tenon/types.h"

namespace tenon::kernels {

// Returns the nearest value of float16 or bfloat16, as a float.
TENON_FUNCTOR inline float nearest(tenon_dtype small_float, float value) {
  return small_float == TENON_DTYPE_F16 ? float(Half(value)) : float(BFloat16(value));
}
// Like nearest(), but for the host and out of line, to keep loops that rarely round small.
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
