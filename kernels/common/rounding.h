// SPDX-License-Identifier: Apache-2.0
// Rounding: results in between, as precise as their dtype, where a computation in float is more.
#pragma once

#include "tenon/types.h"

namespace tenon::kernels {

// The float nearest to `value` that float16 or bfloat16 has.
float round_to(tenon_dtype small_float, float value);

class Rounding {
 public:
  explicit Rounding(tenon_dtype dtype)
      : small_(dtype == TENON_DTYPE_F16 || dtype == TENON_DTYPE_BF16 ? dtype : TENON_DTYPE_NONE) {}

  float operator()(float value) const {
    return small_ == TENON_DTYPE_NONE ? value : round_to(small_, value);
  }
  double operator()(double value) const { return value; }

 private:
  tenon_dtype small_;
};

}  // namespace tenon::kernels
