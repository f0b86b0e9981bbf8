// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/rounding.h"

namespace tenon::kernels {

float round_to(tenon_dtype small_float, float value) { return nearest(small_float, value); }

}  // namespace tenon::kernels
