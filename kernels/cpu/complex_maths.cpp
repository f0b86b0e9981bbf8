// SPDX-License-Identifier: Apache-2.0
// Functions of complex elements, from the C++ library.
#include <complex>

#include "kernels/common/maths.h"

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

template <class R>
Complex<R> cos(Complex<R> x) {
  return own(std::cos(standard(x)));
}
template <class R>
Complex<R> exp(Complex<R> x) {
  return own(std::exp(standard(x)));
}
template <class R>
Complex<R> log(Complex<R> x) {
  return own(std::log(standard(x)));
}
template <class R>
Complex<R> sin(Complex<R> x) {
  return own(std::sin(standard(x)));
}
template <class R>
Complex<R> sqrt(Complex<R> x) {
  return own(std::sqrt(standard(x)));
}
template <class R>
Complex<R> tanh(Complex<R> x) {
  return own(std::tanh(standard(x)));
}
template <class R>
Complex<R> pow(Complex<R> x, Complex<R> y) {
  return own(std::pow(standard(x), standard(y)));
}
template <class R>
R abs(Complex<R> x) {
  return std::hypot(x.re, x.im);
}

template Complex64 cos(Complex64);
template Complex128 cos(Complex128);
template Complex64 exp(Complex64);
template Complex128 exp(Complex128);
template Complex64 log(Complex64);
template Complex128 log(Complex128);
template Complex64 sin(Complex64);
template Complex128 sin(Complex128);
template Complex64 sqrt(Complex64);
template Complex128 sqrt(Complex128);
template Complex64 tanh(Complex64);
template Complex128 tanh(Complex128);
template Complex64 pow(Complex64, Complex64);
template Complex128 pow(Complex128, Complex128);
template float abs(Complex64);
template double abs(Complex128);

}  // namespace tenon::kernels::maths
