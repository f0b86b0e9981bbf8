// SPDX-License-Identifier: Apache-2.0
// The inverse of the error function without branches or calls, so that loops over it vectorize.
// Errors are below 4 ulp for floats and 8 ulp for doubles.
//
// erfinv(y) / y is a smooth function of w = -log(1 - y^2) for small w and of sqrt(w) for larger w
// (M. Giles, "Approximating the erfinv function", GPU Computing Gems, 2011). The polynomials are
// Chebyshev approximations, fitted with 50 digits (mpmath.chebyfit), and cover all |y| < 1.
#pragma once

#include "kernels/common/maths/double_maths.h"
#include "kernels/common/maths/float_maths.h"

namespace tenon::kernels::maths {

TENON_FUNCTOR inline float float_erfinv(float y) {
  // 1 - y^2 as a product, which is exact enough near 1. It is a normal number for all |y| < 1.
  const float w = -near_log((1.0F - y) * (1.0F + y));
  const float near_zero =
      polynomial(w - 2.5F, -0x1.32e60ep-27F, 0x1.90e8acp-26F, 0x1.f6a6f8p-22F, -0x1.d0edap-19F,
                 -0x1.4db186p-18F, 0x1.c9e97p-13F, -0x1.48650cp-10F, -0x1.11c506p-8F,
                 0x1.f91e8ap-3F, 0x1.805c5ep+0F);
  const float near_one =
      polynomial(__builtin_sqrtf(w) - 3.0F, 0x1.0f0a24p-13F, -0x1.4f77aap-12F, -0x1.3ef7dp-14F,
                 0x1.887ce6p-10F, -0x1.d6431ep-9F, 0x1.746b86p-8F, -0x1.f4a37cp-8F, 0x1.3584a4p-7F,
                 0x1.006dc6p+0F, 0x1.6a9efcp+1F);
  const float result = y * (w < 5.0F ? near_zero : near_one);
  const float size = __builtin_fabsf(y);
  const float beyond = size == 1.0F ? __builtin_copysignf(__builtin_inff(), y) : __builtin_nanf("");
  return size < 1.0F ? result : beyond;
}

TENON_FUNCTOR inline double double_erfinv(double y) {
  const double w = -near_log((1.0 - y) * (1.0 + y));
  const double root = __builtin_sqrt(w);
  const double near_zero = polynomial(
      w - 3.125, 0x1.e9b8ae7230c25p-69, -0x1.5087a244b0f6cp-70, -0x1.9d290dd3bcb7p-62,
      0x1.536d397f9b9b1p-60, 0x1.1f4ba5de5dc3fp-56, -0x1.2c266176e7096p-53, -0x1.73898c37dc54ap-55,
      0x1.db523eb040288p-48, -0x1.686642b67610ap-45, -0x1.6d9ec5e3ec6afp-44, 0x1.723527b7cff86p-39,
      -0x1.c89564c5d1004p-37, -0x1.dc3ee8b6c53ccp-35, 0x1.20f4e6bf074cfp-30, -0x1.1a9eb1bc8f0fp-28,
      -0x1.f36ce4ae847fdp-26, 0x1.c6b4f890935ddp-22, -0x1.6e8a53f106129p-20, -0x1.d1d1f7ca4030fp-17,
      0x1.879c2a20da432p-13, -0x1.84576948353e1p-11, -0x1.8b6c33114eeaep-8, 0x1.ebd80d9b13df9p-3,
      0x1.a755e7c99ae86p+0);
  const double middle = polynomial(
      root - 3.25, -0x1.03765b5ec5c93p-26, 0x1.7f235c757454ep-31, 0x1.1969ef2a9394p-23,
      -0x1.235ac6aaf025ep-22, -0x1.cfedcff90217p-26, 0x1.924ec74d8058bp-20, -0x1.0b8068913d37bp-18,
      0x1.88af4a1d56a98p-19, 0x1.a242f876789c6p-17, -0x1.8cf0bea0971c6p-15, 0x1.1e6ab36be6c27p-14,
      0x1.932d7684a6a52p-16, -0x1.7448bc8217f18p-12, 0x1.f3cc552091e2bp-11, -0x1.ba9240d9b7431p-10,
      0x1.468eeca71fc73p-9, -0x1.ebadabb9fd945p-9, 0x1.5ffcfe5b71831p-8, 0x1.0158a6d641d54p+0,
      0x1.8abcc380d5a48p+1);
  const double near_one = polynomial(
      root - 5.015, 0x1.42789166f96d4p-35, -0x1.f2d7fbcfaa8e3p-37, -0x1.c990e862486c7p-32,
      0x1.80d6a0d57b7a6p-30, -0x1.b97661f6cc10fp-29, 0x1.dfeb98a4078e6p-28, -0x1.dd9409a73ba0fp-27,
      0x1.cb2c5abc085ap-26, -0x1.1042d2eafb877p-24, 0x1.d8d43900c48f6p-23, -0x1.035454c0f2966p-20,
      0x1.28d64863a0ba1p-18, -0x1.4372ff95c1b76p-16, 0x1.389e995265e8bp-14, -0x1.b97b0c89cfd9cp-13,
      -0x1.36fe989033e14p-13, 0x1.02a2c4e2de8dap+0, 0x1.375d284b591dep+2);
  const double far = root < 4.0 ? middle : near_one;
  const double result = y * (w < 6.25 ? near_zero : far);
  const double size = __builtin_fabs(y);
  const double beyond = size == 1.0 ? __builtin_copysign(__builtin_inf(), y) : __builtin_nan("");
  return size < 1.0 ? result : beyond;
}

}  // namespace tenon::kernels::maths
