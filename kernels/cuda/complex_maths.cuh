// SPDX-License-Identifier: Apache-2.0
// Functions of complex elements, from CUDA's C++ library.
#pragma once

#include <cuda/std/complex>

#include "kernels/common/maths.h"

namespace tenon::kernels::maths {

template <class R>
TENON_FUNCTOR inline ::cuda::std::complex<R> standard(Complex<R> x) {
  return {x.re, x.im};
}
template <class R>
TENON_FUNCTOR inline Complex<R> own(const ::cuda::std::complex<R>& x) {
  return {x.real(), x.imag()};
}

template <class R>
TENON_FUNCTOR inline Complex<R> cos(Complex<R> x) {
  return own(::cuda::std::cos(standard(x)));
}
template <class R>
TENON_FUNCTOR inline Complex<R> exp(Complex<R> x) {
  return own(::cuda::std::exp(standard(x)));
}
template <class R>
TENON_FUNCTOR inline Complex<R> log(Complex<R> x) {
  return own(::cuda::std::log(standard(x)));
}
template <class R>
TENON_FUNCTOR inline Complex<R> sin(Complex<R> x) {
  return own(::cuda::std::sin(standard(x)));
}
template <class R>
TENON_FUNCTOR inline Complex<R> sqrt(Complex<R> x) {
  return own(::cuda::std::sqrt(standard(x)));
}
template <class R>
TENON_FUNCTOR inline Complex<R> tanh(Complex<R> x) {
  return own(::cuda::std::tanh(standard(x)));
}
template <class R>
TENON_FUNCTOR inline Complex<R> pow(Complex<R> x, Complex<R> y) {
  return own(::cuda::std::pow(standard(x), standard(y)));
}
template <class R>
TENON_FUNCTOR inline R abs(Complex<R> x) {
  return ::cuda::std::abs(standard(x));
}

}  // namespace tenon::kernels::maths
