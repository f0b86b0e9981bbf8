// SPDX-License-Identifier: Apache-2.0
// Device element types: the type behind each dtype, the type it is computed in, and a switch.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cstdint>
#include <type_traits>

#include "kernels/common/complex.h"
#include "tenon/types.h"

namespace tenon::kernels::cuda {

template <class T>
struct ComputeOf {
  using type = T;
};
template <>
struct ComputeOf<__half> {
  using type = float;
};
template <>
struct ComputeOf<__nv_bfloat16> {
  using type = float;
};
template <>
struct ComputeOf<__nv_fp8_e5m2> {
  using type = float;
};
template <>
struct ComputeOf<__nv_fp8_e4m3> {
  using type = float;
};
template <class T>
using Compute = typename ComputeOf<T>::type;

template <class T>
struct Element {
  using type = T;
};

// Calls body(Element<T>()) for the element type of a dtype; false for a dtype without one.
template <class Body>
bool visit_element(int32_t dtype, Body&& body) {
  switch (dtype) {
    case TENON_DTYPE_BOOL:
      return body(Element<bool>()), true;
    case TENON_DTYPE_U8:
      return body(Element<uint8_t>()), true;
    case TENON_DTYPE_I8:
      return body(Element<int8_t>()), true;
    case TENON_DTYPE_I16:
      return body(Element<int16_t>()), true;
    case TENON_DTYPE_I32:
      return body(Element<int32_t>()), true;
    case TENON_DTYPE_I64:
      return body(Element<int64_t>()), true;
    case TENON_DTYPE_F16:
      return body(Element<__half>()), true;
    case TENON_DTYPE_BF16:
      return body(Element<__nv_bfloat16>()), true;
    case TENON_DTYPE_F32:
      return body(Element<float>()), true;
    case TENON_DTYPE_F64:
      return body(Element<double>()), true;
    case TENON_DTYPE_C64:
      return body(Element<Complex64>()), true;
    case TENON_DTYPE_C128:
      return body(Element<Complex128>()), true;
    case TENON_DTYPE_F8_E5M2:
      return body(Element<__nv_fp8_e5m2>()), true;
    case TENON_DTYPE_F8_E4M3FN:
      return body(Element<__nv_fp8_e4m3>()), true;
    default:
      return false;
  }
}

}  // namespace tenon::kernels::cuda
