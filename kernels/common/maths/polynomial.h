// SPDX-License-Identifier: Apache-2.0
// Evaluates a polynomial; coefficients are from the highest power to the constant.
#pragma once

#include "kernels/common/maths/complex.h"

namespace tenon::kernels::maths {

template <class T>
TENON_FUNCTOR inline T polynomial(T, T constant) {
  return constant;
}
template <class T, class... Rest>
TENON_FUNCTOR inline T polynomial(T x, T highest, T next, Rest... rest) {
  return polynomial(x, highest * x + next, rest...);
}

}  // namespace tenon::kernels::maths
