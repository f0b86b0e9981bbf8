// SPDX-License-Identifier: Apache-2.0
// Dtypes as C++ element types: a switch from a dtype to code for its type, and numbers as elements.
#pragma once

#include <cmath>
#include <limits>
#include <string>

#include "kernels/common/check.h"
#include "kernels/common/maths/element_types.h"

namespace tenon::kernels {

template <class T>
inline constexpr Dtype element_dtype = static_cast<Dtype>(dtype_of_element<T>);

template <class... T>
std::string names_of(ElementTypes<T...>) {
  std::string names;
  ((names += names.empty() ? "" : ", ", names += name_of(element_dtype<T>)), ...);
  return names;
}

// Returns true if the list contains a dtype.
template <class... T>
constexpr bool contains(ElementTypes<T...>, Dtype dtype) {
  return ((dtype == element_dtype<T>) || ...);
}

// Calls `body(Element<T>())` for the type of `dtype` and returns its result. Throws
// TENON_ERROR_NOT_SUPPORTED with operator, argument and supported dtypes if the list does not
// contain it. A switch, since one jump is cheaper than up to 18 comparisons.
template <class... T, class Body>
auto visit(const char* op, const char* argument, Dtype dtype, ElementTypes<T...> types,
           Body&& body) {
#define TENON_VISIT(type)                                                \
  case element_dtype<type>:                                              \
    if constexpr (contains(ElementTypes<T...>(), element_dtype<type>)) { \
      return body(Element<type>());                                      \
    } else {                                                             \
      break;                                                             \
    }
  switch (dtype) {
    TENON_VISIT(bool)
    TENON_VISIT(uint8_t)
    TENON_VISIT(int8_t)
    TENON_VISIT(int16_t)
    TENON_VISIT(int32_t)
    TENON_VISIT(int64_t)
    TENON_VISIT(Half)
    TENON_VISIT(BFloat16)
    TENON_VISIT(float)
    TENON_VISIT(double)
    TENON_VISIT(Complex64)
    TENON_VISIT(Complex128)
    TENON_VISIT(Float8E5M2)
    TENON_VISIT(Float8E4M3)
    TENON_VISIT(uint16_t)
    TENON_VISIT(uint32_t)
    TENON_VISIT(uint64_t)
    TENON_VISIT(Complex32)
    case Dtype::None:
      break;
  }
#undef TENON_VISIT
  fail_dtype(op, argument, dtype, names_of(types));
}

// Throws TENON_ERROR_NOT_SUPPORTED unless the list contains the dtype.
template <class... T>
void check_dtype(const char* op, const char* argument, Dtype dtype, ElementTypes<T...> types) {
  if (!contains(types, dtype)) [[unlikely]] {
    fail_dtype(op, argument, dtype, names_of(types));
  }
}

// Converts a number to an element; truncates, wraps and rounds as a cast of a 0-dim tensor would.
template <class T>
T element_of(const Scalar& number) {
  if constexpr (is_complex_element<T>) {
    const std::complex<double> value = number.to_complex();
    return T(static_cast<typename T::value_type>(value.real()),
             static_cast<typename T::value_type>(value.imag()));
  } else if constexpr (std::is_same_v<T, bool>) {
    return number.to_bool();
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(number.to_int());
  } else if constexpr (std::is_same_v<T, double>) {
    return number.to_double();
  } else {
    return T(static_cast<float>(number.to_double()));
  }
}

template <class T>
constexpr double largest_finite() {
  if constexpr (std::is_same_v<T, Half>) return 65504.0;
  if constexpr (std::is_same_v<T, BFloat16>) return 0x1.FEp127;
  if constexpr (std::is_same_v<T, Float8E5M2>) return 57344.0;
  if constexpr (std::is_same_v<T, Float8E4M3>) return 448.0;
  if constexpr (std::is_same_v<T, float>) return std::numeric_limits<float>::max();
  return std::numeric_limits<double>::max();
}

// Returns true if a number can be converted to an element: it is in range, and real unless T is
// complex. Fractions are truncated, and negative numbers may wrap to unsigned ones.
template <class T>
bool fits(const Scalar& number) {
  if constexpr (std::is_same_v<T, bool>) {
    return true;
  } else if constexpr (is_complex_element<T>) {
    using Part = typename T::value_type;
    const std::complex<double> value = number.to_complex();
    return fits<Part>(Scalar(value.real())) && fits<Part>(Scalar(value.imag()));
  } else {
    if (number.is_complex()) {
      const std::complex<double> value = number.to_complex();
      return value.imag() == 0.0 && fits<T>(Scalar(value.real()));
    }
    if constexpr (std::is_integral_v<T>) {
      if (number.is_float()) {
        const double value = number.to_double();
        // As in PyTorch, negative numbers wrap around in unsigned dtypes other than uint8.
        if constexpr (is_wide_unsigned<T>) {
          return std::fabs(value) <= static_cast<double>(std::numeric_limits<T>::max()) &&
                 std::fabs(value) < 0x1.0p63;
        }
        return value >= static_cast<double>(std::numeric_limits<T>::lowest()) &&
               value <= static_cast<double>(std::numeric_limits<T>::max()) && value < 0x1.0p63;
      }
      const int64_t value = number.to_int();
      if constexpr (std::is_same_v<T, uint8_t>) return value >= -255 && value <= 255;
      if constexpr (is_wide_unsigned<T>) {
        const uint64_t magnitude = value < 0 ? -static_cast<uint64_t>(value) : uint64_t(value);
        return magnitude <= std::numeric_limits<T>::max();
      } else {
        return value >= int64_t{std::numeric_limits<T>::lowest()} &&
               value <= int64_t{std::numeric_limits<T>::max()};
      }
    } else {
      const double value = number.to_double();
      return value != value || value == std::numeric_limits<double>::infinity() ||
             value == -std::numeric_limits<double>::infinity() ||
             std::fabs(value) <= largest_finite<T>();
    }
  }
}

// Returns the number as an element. Throws TENON_ERROR_INVALID_ARGUMENT if it does not fit.
template <class T>
T checked_element_of(const char* op, const char* argument, const Scalar& number) {
  if (!fits<T>(number)) [[unlikely]] {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {op, ": ", argument, " must fit into ", name_of(element_dtype<T>), ", got ", number});
  }
  if constexpr (!is_complex_element<T>) {
    if (number.is_complex()) return element_of<T>(Scalar(number.to_complex().real()));
  }
  return element_of<T>(number);
}

}  // namespace tenon::kernels
