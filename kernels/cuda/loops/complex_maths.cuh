// SPDX-License-Identifier: Apache-2.0
// Functions of complex elements, from CUDA's C++ library.
#pragma once

#include <cuda/std/complex>

#include "kernels/common/maths/maths.h"

namespace tenon::kernels::maths {

template <class R>
TENON_FUNCTOR inline ::cuda::std::complex<R> standard(Complex<R> x) {
  return {x.re, x.im};
}
template <class R>
TENON_FUNCTOR inline Complex<R> own(const ::cuda::std::complex<R>& x) {
  return {x.real(), x.imag()};
}

#define TENON_DEFINE_COMPLEX(function)                     \
  template <class R>                                       \
  TENON_FUNCTOR inline Complex<R> function(Complex<R> x) { \
    return own(::cuda::std::function(standard(x)));        \
  }
TENON_COMPLEX_FUNCTIONS(TENON_DEFINE_COMPLEX)
#undef TENON_DEFINE_COMPLEX

template <class R>
TENON_FUNCTOR inline Complex<R> pow(Complex<R> x, Complex<R> y) {
  return own(::cuda::std::pow(standard(x), standard(y)));
}
template <class R>
TENON_FUNCTOR inline R abs(Complex<R> x) {
  return ::cuda::std::abs(standard(x));
}

}  // namespace tenon::kernels::maths
