// SPDX-License-Identifier: Apache-2.0
// Sums of contiguous rows, in an order that does not depend on the processor.
#pragma once

#include <cstdint>

#include "kernels/cpu/loops/independent.h"

namespace tenon::kernels::cpu {

// Number of partial sums that are added side by side.
inline constexpr int64_t kRowLanes = 32;

// Returns the sum of `term(i)` for all i below `count`.
template <class T, class Term>
[[gnu::always_inline]] inline T sum_of(int64_t count, Term&& term) {
  T lanes[kRowLanes] = {};
  int64_t i = 0;
  for (; i + kRowLanes <= count; i += kRowLanes) {
    TENON_INDEPENDENT
    for (int64_t k = 0; k < kRowLanes; ++k) lanes[k] += term(i + k);
  }
  for (int64_t k = 0; i < count; ++i, ++k) lanes[k] += term(i);
  for (int64_t width = kRowLanes / 2; width > 0; width /= 2) {
    for (int64_t k = 0; k < width; ++k) lanes[k] += lanes[k + width];
  }
  return lanes[0];
}

}  // namespace tenon::kernels::cpu
