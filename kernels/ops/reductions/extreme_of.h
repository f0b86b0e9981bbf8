// SPDX-License-Identifier: Apache-2.0
// The largest or smallest of some floats, for aten::amax, aten::amin and other single-result folds.
#pragma once

#include "kernels/common/families/fold_functor.h"

namespace tenon::kernels::ops {

// Returns NaN if any element is NaN. Lanes are compared side by side and then merged by halves. NaN
// compares false with everything, so it is detected separately, in two lanes at once.
template <bool kLargest, class T>
TENON_FUNCTOR inline T extreme_of(const T* in, int64_t count) {
  using Truth = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
  constexpr int kSide = 128 / int{sizeof(T)};
  constexpr int kHalf = kSide / 2;
  const auto better = [](T a, T b) { return (kLargest ? a > b : a < b) ? a : b; };
  T best[kSide];
  Truth unordered[kHalf] = {};
  for (T& lane : best) lane = kLargest ? lowest<T>() : highest<T>();
  int64_t i = 0;
  for (; i + kSide <= count; i += kSide) {
    TENON_ROLLED
    for (int k = 0; k < kSide; ++k) best[k] = better(in[i + k], best[k]);
    TENON_ROLLED
    for (int k = 0; k < kHalf; ++k) {
      const T a = in[i + k], b = in[i + k + kHalf];
      unordered[k] |= ((a != a) | (b != b)) ? 1 : 0;
    }
  }
  const auto join = [&](int width) {
    for (int k = 0; k < width; ++k) best[k] = better(best[k + width], best[k]);
  };
  join(kHalf);
  join(kHalf / 2);
  join(kHalf / 4);
  join(kHalf / 8);
  T most = best[0];
  Truth any = 0;
  for (int k = 1; k < kHalf / 8; ++k) most = better(best[k], most);
  for (int k = 0; k < kHalf; ++k) any |= unordered[k];
  for (; i < count; ++i) {
    most = better(in[i], most);
    any |= in[i] != in[i] ? 1 : 0;
  }
  return any != 0 ? T(__builtin_nan("")) : most;
}

}  // namespace tenon::kernels::ops
