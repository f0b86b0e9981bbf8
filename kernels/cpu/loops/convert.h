// SPDX-License-Identifier: Apache-2.0
// Conversion of one element to another dtype.
#pragma once

#include "kernels/common/maths/element.h"

namespace tenon::kernels::cpu {

// Converts an element. Floats are truncated to integers; those out of range become the smallest
// int32 or int64, or wrap for narrower integers. A complex number loses its imaginary part. Any
// nonzero value, including NaN, is true.
template <class To, class From>
To convert(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (is_complex_element<From>) {
    if constexpr (is_complex_element<To>) {
      using Real = typename To::value_type;
      return To(static_cast<Real>(value.real()), static_cast<Real>(value.imag()));
    } else if constexpr (std::is_same_v<To, bool>) {
      return value.real() != 0 || value.imag() != 0;
    } else {
      return convert<To>(value.real());
    }
  } else if constexpr (is_complex_element<To>) {
    return To(convert<typename To::value_type>(value));
  } else if constexpr (is_small_float<From>) {
    return convert<To>(static_cast<float>(value));
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != 0;
  } else if constexpr (is_small_float<To>) {
    return To(static_cast<float>(value));
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    // The bound itself does not fit; NaN fails both comparisons.
    using Whole = std::conditional_t<std::is_same_v<To, int32_t>, int32_t, int64_t>;
    constexpr From kBound = sizeof(Whole) == 4 ? From(0x1.0p31) : From(0x1.0p63);
    const bool fits = value >= -kBound && value < kBound;
    if constexpr (std::is_same_v<To, uint64_t>) {
      if (value >= kBound && value < 2 * kBound) return static_cast<uint64_t>(value);
    }
    return static_cast<To>(fits ? static_cast<Whole>(value) : std::numeric_limits<Whole>::min());
  } else {
    return static_cast<To>(value);
  }
}

}  // namespace tenon::kernels::cpu
