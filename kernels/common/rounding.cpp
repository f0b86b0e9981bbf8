// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/rounding.h"

#include "kernels/common/half.h"

namespace tenon::kernels {

float round_to(tenon_dtype small_float, float value) {
  return small_float == TENON_DTYPE_F16 ? float(Half(value)) : float(BFloat16(value));
}

}  // namespace tenon::kernels
