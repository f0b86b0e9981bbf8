// SPDX-License-Identifier: Apache-2.0
// Products and quotients of complex numbers without the standard library's slow cases for infinity.
#pragma once

#include <cmath>

#include "kernels/common/element.h"

namespace tenon::kernels::cpu {

template <class T>
T multiply(T a, T b) {
  if constexpr (std::is_same_v<T, bool>) {
    return a && b;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));  // wraps
  } else {
    return a * b;
  }
}
template <class T>
T divide(T a, T b) {
  return a / b;
}

}  // namespace tenon::kernels::cpu
