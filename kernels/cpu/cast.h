// SPDX-License-Identifier: Apache-2.0
// Copies elements between CPU tensors of any dtypes and strides.
#pragma once

#include "kernels/common/element.h"
#include "kernels/common/walk.h"

namespace tenon::kernels::cpu {

// One element as another dtype. Floats are truncated to integers; what does not fit becomes the
// smallest int32 or int64, or wraps for narrower integers. A complex number loses its imaginary
// part. Anything but zero, NaN included, is true.
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
    // 2^63 itself does not fit; NaN fails both comparisons.
    const bool fits = value >= From(-0x1.0p63) && value < From(0x1.0p63);
    const int64_t whole = fits ? static_cast<int64_t>(value) : INT64_MIN;
    if constexpr (std::is_same_v<To, int32_t>) {
      return whole < INT32_MIN || whole > INT32_MAX ? INT32_MIN : static_cast<int32_t>(whole);
    } else {
      return static_cast<To>(whole);
    }
  } else {
    return static_cast<To>(value);
  }
}

template <class To, class From>
struct Convert {
  To operator()(From value) const { return convert<To>(value); }
};

// The loop that copies elements of one dtype to another: operand 0 is written. No ctx is read.
Loop cast_loop(Dtype to, Dtype from);

// Writes `source`, broadcast to the sizes of `target`, to `target`. Both have CPU memory and do not
// overlap in part.
void cast(const tenon_tensor_info& target, const tenon_tensor_info& source);

}  // namespace tenon::kernels::cpu
