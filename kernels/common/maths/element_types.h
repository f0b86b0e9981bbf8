// SPDX-License-Identifier: Apache-2.0
// Dtypes as C++ element types, and lists of them, for the host and for CUDA, without C++ library
// headers.
#pragma once

#include "kernels/common/maths/half.h"
#include "tenon/types.h"

namespace tenon::kernels {

template <class T>
inline constexpr tenon_dtype dtype_of_element = TENON_DTYPE_NONE;
template <>
inline constexpr tenon_dtype dtype_of_element<bool> = TENON_DTYPE_BOOL;
template <>
inline constexpr tenon_dtype dtype_of_element<uint8_t> = TENON_DTYPE_U8;
template <>
inline constexpr tenon_dtype dtype_of_element<int8_t> = TENON_DTYPE_I8;
template <>
inline constexpr tenon_dtype dtype_of_element<int16_t> = TENON_DTYPE_I16;
template <>
inline constexpr tenon_dtype dtype_of_element<int32_t> = TENON_DTYPE_I32;
template <>
inline constexpr tenon_dtype dtype_of_element<int64_t> = TENON_DTYPE_I64;
template <>
inline constexpr tenon_dtype dtype_of_element<uint16_t> = TENON_DTYPE_U16;
template <>
inline constexpr tenon_dtype dtype_of_element<uint32_t> = TENON_DTYPE_U32;
template <>
inline constexpr tenon_dtype dtype_of_element<uint64_t> = TENON_DTYPE_U64;
template <>
inline constexpr tenon_dtype dtype_of_element<float> = TENON_DTYPE_F32;
template <>
inline constexpr tenon_dtype dtype_of_element<double> = TENON_DTYPE_F64;
template <>
inline constexpr tenon_dtype dtype_of_element<Complex32> = TENON_DTYPE_C32;
template <>
inline constexpr tenon_dtype dtype_of_element<Complex64> = TENON_DTYPE_C64;
template <>
inline constexpr tenon_dtype dtype_of_element<Complex128> = TENON_DTYPE_C128;
template <>
inline constexpr tenon_dtype dtype_of_element<Half> = TENON_DTYPE_F16;
template <>
inline constexpr tenon_dtype dtype_of_element<BFloat16> = TENON_DTYPE_BF16;
template <>
inline constexpr tenon_dtype dtype_of_element<Float8E5M2> = TENON_DTYPE_F8_E5M2;
template <>
inline constexpr tenon_dtype dtype_of_element<Float8E4M3> = TENON_DTYPE_F8_E4M3FN;

template <class T>
inline constexpr bool is_small_float =
    std::is_same_v<T, Half> || std::is_same_v<T, BFloat16> || std::is_same_v<T, Float8E5M2> ||
    std::is_same_v<T, Float8E4M3>;
template <class T>
inline constexpr bool is_wide_unsigned =
    std::is_same_v<T, uint16_t> || std::is_same_v<T, uint32_t> || std::is_same_v<T, uint64_t>;
// The type in which an element is computed: float for the small floats, Complex64 for Complex32,
// otherwise T itself.
template <class T>
using Compute = std::conditional_t<is_small_float<T>, float,
                                   std::conditional_t<std::is_same_v<T, Complex32>, Complex64, T>>;

template <class... T>
struct ElementTypes {};
template <class... Lists>
struct Join;
template <class... A>
struct Join<ElementTypes<A...>> {
  using type = ElementTypes<A...>;
};
template <class... A, class... B, class... Rest>
struct Join<ElementTypes<A...>, ElementTypes<B...>, Rest...>
    : Join<ElementTypes<A..., B...>, Rest...> {};
template <class... Lists>
using Joined = typename Join<Lists...>::type;

using BoolType = ElementTypes<bool>;
using IntegerTypes = ElementTypes<uint8_t, int8_t, int16_t, int32_t, int64_t>;
using FloatTypes = ElementTypes<Half, BFloat16, float, double>;
using ComplexTypes = ElementTypes<Complex64, Complex128>;
using Float8Types = ElementTypes<Float8E5M2, Float8E4M3>;
using WideUnsignedTypes = ElementTypes<uint16_t, uint32_t, uint64_t>;

using RealTypes = Joined<IntegerTypes, FloatTypes>;
using NumberTypes = Joined<RealTypes, ComplexTypes>;
using FloatAndComplexTypes = Joined<FloatTypes, ComplexTypes>;
using AllTypes = Joined<BoolType, NumberTypes, Float8Types>;
// All dtypes, for code that moves, copies or casts elements.
using StoredTypes = Joined<AllTypes, WideUnsignedTypes, ElementTypes<Complex32>>;

// Passes a type to a generic lambda: [&]<class T>(Element<T>) { ... }.
template <class T>
struct Element {
  using type = T;
};

}  // namespace tenon::kernels
