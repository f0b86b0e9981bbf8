// SPDX-License-Identifier: Apache-2.0
// Which whole numbers an integer dtype has.
#pragma once

#include "tenon/tenon.hpp"

namespace tenon::kernels {

// The least or the largest number of an integer dtype.
inline int64_t end_of(Dtype dtype, bool is_largest) {
  if (dtype == Dtype::U8) return is_largest ? 255 : 0;
  const int bits = 8 * static_cast<int>(size_of(dtype));
  const auto largest = static_cast<int64_t>(~uint64_t{0} >> (65 - bits));
  return is_largest ? largest : -largest - 1;
}

// Whether a value is a whole number that an integer dtype has not: below it (-1) or above it (1).
inline int beyond(const tenon_value& value, Dtype dtype) {
  if (value.tag != TENON_TAG_INT || !is_integral(dtype)) return 0;
  if (value.as.i < end_of(dtype, false)) return -1;
  return value.as.i > end_of(dtype, true) ? 1 : 0;
}

}  // namespace tenon::kernels
