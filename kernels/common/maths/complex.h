// SPDX-License-Identifier: Apache-2.0
// Complex elements, for the host and for CUDA. std::complex would include streams and locales in
// every file and add slow paths for infinities to products and quotients.
#pragma once

#include <cstdint>
#include <type_traits>

// Functors are compiled for both sides. On the host they are always inlined: otherwise a loop for a
// wide instruction set would call code that was compiled for the base one.
#if defined(__CUDACC__)
#define TENON_FUNCTOR __host__ __device__
// Functions that are defined elsewhere for each side.
#define TENON_BOTH_SIDES __host__ __device__
#else
#define TENON_FUNCTOR [[gnu::always_inline]]
#define TENON_BOTH_SIDES
#endif
// Keeps gcc from unrolling a loop over lanes into scalars before it can be vectorized.
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define TENON_ROLLED _Pragma("GCC unroll 1")
#else
#define TENON_ROLLED
#endif

namespace tenon::kernels {

template <class R>
struct Complex {
  using value_type = R;

  R re;
  R im;

  Complex() = default;
  TENON_FUNCTOR constexpr Complex(R real, R imag = R(0)) : re(real), im(imag) {}
  template <class Q>
  TENON_FUNCTOR explicit constexpr Complex(Complex<Q> other)
      : re(static_cast<R>(other.re)), im(static_cast<R>(other.im)) {}

  TENON_FUNCTOR constexpr R real() const { return re; }
  TENON_FUNCTOR constexpr R imag() const { return im; }
};
using Complex64 = Complex<float>;
using Complex128 = Complex<double>;

template <class T>
struct RealPart {
  using type = T;
};
template <class R>
struct RealPart<Complex<R>> {
  using type = R;
};
// The type of a complex element's parts; any other type is its own real type.
template <class T>
using Real = typename RealPart<T>::type;

template <class T>
inline constexpr bool is_complex_element = !std::is_same_v<Real<T>, T>;

template <class R>
TENON_FUNCTOR inline bool operator==(Complex<R> a, Complex<R> b) {
  return a.re == b.re && a.im == b.im;
}
template <class R>
TENON_FUNCTOR inline bool operator!=(Complex<R> a, Complex<R> b) {
  return a.re != b.re || a.im != b.im;
}
template <class R>
TENON_FUNCTOR inline Complex<R> operator-(Complex<R> a) {
  return {-a.re, -a.im};
}
template <class R>
TENON_FUNCTOR inline Complex<R> operator+(Complex<R> a, Complex<R> b) {
  return {a.re + b.re, a.im + b.im};
}
template <class R>
TENON_FUNCTOR inline Complex<R> operator-(Complex<R> a, Complex<R> b) {
  return {a.re - b.re, a.im - b.im};
}
template <class R>
TENON_FUNCTOR inline Complex<R> operator*(Complex<R> a, Complex<R> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <class R>
TENON_FUNCTOR inline Complex<R>& operator+=(Complex<R>& a, Complex<R> b) {
  a = a + b;
  return a;
}
// Smith's method, scaled by the larger part of the divisor, as in numpy.
template <class R>
TENON_FUNCTOR inline Complex<R> operator/(Complex<R> x, Complex<R> y) {
  const R c = y.re < 0 ? -y.re : y.re;
  const R d = y.im < 0 ? -y.im : y.im;
  if (c >= d) {
    if (c == R(0) && d == R(0)) return {x.re / c, x.im / d};
    const R ratio = y.im / y.re;
    const R scale = R(1) / (y.re + y.im * ratio);
    return {(x.re + x.im * ratio) * scale, (x.im - x.re * ratio) * scale};
  }
  const R ratio = y.re / y.im;
  const R scale = R(1) / (y.re * ratio + y.im);
  return {(x.re * ratio + x.im) * scale, (x.im * ratio - x.re) * scale};
}

}  // namespace tenon::kernels
