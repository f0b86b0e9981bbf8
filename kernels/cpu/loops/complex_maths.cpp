// SPDX-License-Identifier: Apache-2.0
// Functions of complex elements, from the C++ library.
#include <complex>

#include "kernels/common/maths/maths.h"

namespace tenon::kernels::maths {
namespace {

template <class R>
std::complex<R> standard(Complex<R> x) {
  return {x.re, x.im};
}
template <class R>
Complex<R> own(std::complex<R> x) {
  return {x.real(), x.imag()};
}

}  // namespace

#define TENON_DEFINE_COMPLEX(function)      \
  template <class R>                        \
  Complex<R> function(Complex<R> x) {       \
    return own(std::function(standard(x))); \
  }                                         \
  template Complex64 function(Complex64);   \
  template Complex128 function(Complex128);
TENON_COMPLEX_FUNCTIONS(TENON_DEFINE_COMPLEX)
#undef TENON_DEFINE_COMPLEX

template <class R>
Complex<R> pow(Complex<R> x, Complex<R> y) {
  return own(std::pow(standard(x), standard(y)));
}
template <class R>
R abs(Complex<R> x) {
  return std::hypot(x.re, x.im);
}

template Complex64 pow(Complex64, Complex64);
template Complex128 pow(Complex128, Complex128);
template float abs(Complex64);
template double abs(Complex128);

}  // namespace tenon::kernels::maths
