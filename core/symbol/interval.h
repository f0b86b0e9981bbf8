// SPDX-License-Identifier: Apache-2.0
// Interval: lower and upper bounds of an integer. Sums and products that overflow become unbounded.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/symbol_function.h"

namespace tenon::symbol {

constexpr int64_t kNoLow = INT64_MIN;
constexpr int64_t kNoHigh = INT64_MAX;

/// Numbers from `low` to `high` inclusive; kNoLow and kNoHigh mean unbounded.
struct Interval {
  int64_t low = kNoLow;
  int64_t high = kNoHigh;

  bool holds(int64_t number) const noexcept { return low <= number && number <= high; }
  friend bool operator==(const Interval&, const Interval&) = default;
};

constexpr Interval point(int64_t number) noexcept { return {number, number}; }

constexpr bool is_bound(int64_t number) noexcept { return number != kNoLow && number != kNoHigh; }

/// Returns the int64 nearest to `value`.
constexpr int64_t saturated(__int128 value) noexcept {
  if (value <= kNoLow) return kNoLow;
  return value >= kNoHigh ? kNoHigh : static_cast<int64_t>(value);
}

/// Returns the sum of two lower or of two upper bounds.
constexpr int64_t sum_of_bounds(int64_t a, int64_t b) noexcept {
  if (!is_bound(a)) return a;
  return is_bound(b) ? saturated(static_cast<__int128>(a) + b) : b;
}

constexpr int64_t product_of_bounds(int64_t a, int64_t b) noexcept {
  if (a == 0 || b == 0) return 0;
  if (!is_bound(a) || !is_bound(b)) return (a < 0) == (b < 0) ? kNoHigh : kNoLow;
  return saturated(static_cast<__int128>(a) * b);
}

constexpr Interval operator+(const Interval& a, const Interval& b) noexcept {
  return {sum_of_bounds(a.low, b.low), sum_of_bounds(a.high, b.high)};
}

constexpr Interval operator*(const Interval& a, const Interval& b) noexcept {
  const int64_t corners[] = {product_of_bounds(a.low, b.low), product_of_bounds(a.low, b.high),
                             product_of_bounds(a.high, b.low), product_of_bounds(a.high, b.high)};
  const auto [low, high] = std::minmax_element(corners, corners + 4);
  return {*low, *high};
}

/// Returns the intersection, which is empty if `low` > `high`.
constexpr Interval common(const Interval& a, const Interval& b) noexcept {
  return {std::max(a.low, b.low), std::min(a.high, b.high)};
}

using base::floor_quotient;

/// Returns the bounds of a floor division by a positive divisor.
constexpr Interval floor_quotient(const Interval& a, const Interval& b) noexcept {
  const auto divide = [](int64_t bound, int64_t by) {
    if (!is_bound(bound)) return bound;
    if (!is_bound(by)) return bound < 0 ? int64_t{-1} : int64_t{0};
    return floor_quotient(bound, by);
  };
  return {std::min(divide(a.low, b.low), divide(a.low, b.high)),
          std::max(divide(a.high, b.low), divide(a.high, b.high))};
}

}  // namespace tenon::symbol
