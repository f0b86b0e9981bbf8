// SPDX-License-Identifier: Apache-2.0
// Building blocks of fold functors: the types of their results, and a function to write them.
#pragma once

#include "kernels/common/args.h"
#include "kernels/common/facts.h"
#include "kernels/common/maths/element_types.h"

namespace tenon::kernels {

// The element types that a functor writes, one for each result.
template <class First, class Second = void>
struct OutTypes {
  using FirstType = First;
  using SecondType = Second;
  static constexpr tenon_dtype first = dtype_of_element<First>;
  static constexpr tenon_dtype second = dtype_of_element<Second>;
};

// Writes element i of an output.
template <class T>
TENON_FUNCTOR inline void put(char* out, int64_t i, T element) {
  reinterpret_cast<T*>(out)[i] = element;
}

// Returns the lowest value of T, -inf for floats.
template <class T>
TENON_FUNCTOR constexpr T lowest() {
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

// Returns the highest value of T, inf for floats.
template <class T>
TENON_FUNCTOR constexpr T highest() {
  if constexpr (std::is_same_v<T, bool>) {
    return true;
  } else if constexpr (std::is_floating_point_v<T>) {
    return T(__builtin_inf());
  } else {
    return static_cast<T>(~lowest<T>());
  }
}

}  // namespace tenon::kernels
