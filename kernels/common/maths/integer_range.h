// SPDX-License-Identifier: Apache-2.0
// The range of integers of an integer dtype.
#pragma once

#include "tenon/tenon.hpp"

namespace tenon::kernels {

// Returns the smallest or the largest value of an integer dtype.
inline int64_t end_of(Dtype dtype, bool is_largest) {
  if (dtype == Dtype::U8) return is_largest ? 255 : 0;
  if (dtype == Dtype::U16) return is_largest ? 0xFFFF : 0;
  if (dtype == Dtype::U32) return is_largest ? 0xFFFFFFFF : 0;
  if (dtype == Dtype::U64) return is_largest ? INT64_MAX : 0;
  const int bits = 8 * static_cast<int>(size_of(dtype));
  const auto largest = static_cast<int64_t>(~uint64_t{0} >> (65 - bits));
  return is_largest ? largest : -largest - 1;
}

// Returns -1 if an integer is below the range of an integer dtype, 1 if it is above, and 0
// otherwise.
inline int beyond(const tenon_value& value, Dtype dtype) {
  if (value.tag != TENON_TAG_INT || !is_integral(dtype)) return 0;
  if (value.as.i < end_of(dtype, false)) return -1;
  return value.as.i > end_of(dtype, true) ? 1 : 0;
}

}  // namespace tenon::kernels
