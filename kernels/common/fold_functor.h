// SPDX-License-Identifier: Apache-2.0
// What functors of folds are made of: the types of their results, and where they are written.
#pragma once

#include "kernels/common/args.h"
#include "kernels/common/complex.h"
#include "kernels/common/facts.h"

namespace tenon::kernels {

template <class T>
inline constexpr tenon_dtype dtype_of_element = TENON_DTYPE_NONE;
template <>
inline constexpr tenon_dtype dtype_of_element<bool> = TENON_DTYPE_BOOL;
template <>
inline constexpr tenon_dtype dtype_of_element<uint8_t> = TENON_DTYPE_U8;
template <>
inline constexpr tenon_dtype dtype_of_element<int8_t> = TENON_DTYPE_I8;
template <>
inline constexpr tenon_dtype dtype_of_element<int16_t> = TENON_DTYPE_I16;
template <>
inline constexpr tenon_dtype dtype_of_element<int32_t> = TENON_DTYPE_I32;
template <>
inline constexpr tenon_dtype dtype_of_element<int64_t> = TENON_DTYPE_I64;
template <>
inline constexpr tenon_dtype dtype_of_element<float> = TENON_DTYPE_F32;
template <>
inline constexpr tenon_dtype dtype_of_element<double> = TENON_DTYPE_F64;
template <>
inline constexpr tenon_dtype dtype_of_element<Complex64> = TENON_DTYPE_C64;
template <>
inline constexpr tenon_dtype dtype_of_element<Complex128> = TENON_DTYPE_C128;

// The elements that a functor writes, one or two a result.
template <class First, class Second = void>
struct OutTypes {
  static constexpr tenon_dtype first = dtype_of_element<First>;
  static constexpr tenon_dtype second = dtype_of_element<Second>;
};

// Writes element i of an out.
template <class T>
inline void put(char* out, int64_t i, T element) {
  reinterpret_cast<T*>(out)[i] = element;
}

// The lowest value of T, -inf where there is one.
template <class T>
constexpr T lowest() {
  if constexpr (std::is_same_v<T, bool>) {
    return false;
  } else if constexpr (std::is_floating_point_v<T>) {
    return -T(__builtin_inf());
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<T>(T(1) << (8 * sizeof(T) - 1));
  } else {
    return 0;
  }
}

// The highest value of T, inf where there is one.
template <class T>
constexpr T highest() {
  if constexpr (std::is_same_v<T, bool>) {
    return true;
  } else if constexpr (std::is_floating_point_v<T>) {
    return T(__builtin_inf());
  } else {
    return static_cast<T>(~lowest<T>());
  }
}

}  // namespace tenon::kernels
