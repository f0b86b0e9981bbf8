// SPDX-License-Identifier: Apache-2.0
// Element types, devices, layouts and memory formats as C++ types.
#pragma once

#if __cplusplus <= 201703L
#error "tenon/hpp/types.hpp needs C++20: compile with -std=c++20 or later"
#else

#include <complex>
#include <cstdint>
#include <string>

#include "tenon/device.h"
#include "tenon/hpp/error.hpp"
#include "tenon/types.h"

namespace tenon::inline hpp {

enum class Dtype : tenon_dtype {
  U8 = TENON_DTYPE_U8,
  I8 = TENON_DTYPE_I8,
  I16 = TENON_DTYPE_I16,
  I32 = TENON_DTYPE_I32,
  I64 = TENON_DTYPE_I64,
  F16 = TENON_DTYPE_F16,
  F32 = TENON_DTYPE_F32,
  F64 = TENON_DTYPE_F64,
  C32 = TENON_DTYPE_C32,
  C64 = TENON_DTYPE_C64,
  C128 = TENON_DTYPE_C128,
  Bool = TENON_DTYPE_BOOL,
  BF16 = TENON_DTYPE_BF16,
  F8E5M2 = TENON_DTYPE_F8_E5M2,
  F8E4M3FN = TENON_DTYPE_F8_E4M3FN,
  U16 = TENON_DTYPE_U16,
  U32 = TENON_DTYPE_U32,
  U64 = TENON_DTYPE_U64,
  None = TENON_DTYPE_NONE,
};

enum class Layout : int64_t { Strided = TENON_LAYOUT_STRIDED };

enum class MemoryFormat : int64_t {
  Contiguous = TENON_MEMORY_FORMAT_CONTIGUOUS,
  Preserve = TENON_MEMORY_FORMAT_PRESERVE,
  ChannelsLast = TENON_MEMORY_FORMAT_CHANNELS_LAST,
  ChannelsLast3d = TENON_MEMORY_FORMAT_CHANNELS_LAST_3D,
};

// Returns the size of an element in bytes. A test compares it with tenon_dtype_size.
constexpr int64_t size_of(Dtype dtype) noexcept {
  switch (dtype) {
    case Dtype::U8:
    case Dtype::I8:
    case Dtype::Bool:
    case Dtype::F8E5M2:
    case Dtype::F8E4M3FN:
      return 1;
    case Dtype::I16:
    case Dtype::U16:
    case Dtype::F16:
    case Dtype::BF16:
      return 2;
    case Dtype::I32:
    case Dtype::U32:
    case Dtype::C32:
    case Dtype::F32:
      return 4;
    case Dtype::I64:
    case Dtype::U64:
    case Dtype::F64:
    case Dtype::C64:
      return 8;
    case Dtype::C128:
      return 16;
    default:
      return 0;
  }
}
inline const char* name_of(Dtype dtype) {
  return tenon_dtype_name(static_cast<tenon_dtype>(dtype));
}
inline uint32_t traits_of(Dtype dtype) {
  return tenon_dtype_traits(static_cast<tenon_dtype>(dtype));
}
inline bool is_floating(Dtype dtype) { return (traits_of(dtype) & TENON_DTYPE_IS_FLOATING) != 0; }
inline bool is_complex(Dtype dtype) { return (traits_of(dtype) & TENON_DTYPE_IS_COMPLEX) != 0; }
inline bool is_integral(Dtype dtype) { return (traits_of(dtype) & TENON_DTYPE_IS_INTEGRAL) != 0; }

inline Dtype promote(Dtype a, Dtype b) {
  tenon_dtype out = TENON_DTYPE_NONE;
  check(tenon_dtype_promote(static_cast<tenon_dtype>(a), static_cast<tenon_dtype>(b), &out));
  return static_cast<Dtype>(out);
}
inline Dtype default_dtype() { return static_cast<Dtype>(tenon_dtype_default()); }

// The dtype whose elements have the C++ type T. Half-width floats have none, because C++20 has no
// type for them.
template <class T>
inline constexpr Dtype dtype_of = Dtype::None;
template <>
inline constexpr Dtype dtype_of<bool> = Dtype::Bool;
template <>
inline constexpr Dtype dtype_of<uint8_t> = Dtype::U8;
template <>
inline constexpr Dtype dtype_of<int8_t> = Dtype::I8;
template <>
inline constexpr Dtype dtype_of<int16_t> = Dtype::I16;
template <>
inline constexpr Dtype dtype_of<int32_t> = Dtype::I32;
template <>
inline constexpr Dtype dtype_of<int64_t> = Dtype::I64;
template <>
inline constexpr Dtype dtype_of<uint16_t> = Dtype::U16;
template <>
inline constexpr Dtype dtype_of<uint32_t> = Dtype::U32;
template <>
inline constexpr Dtype dtype_of<uint64_t> = Dtype::U64;
template <>
inline constexpr Dtype dtype_of<float> = Dtype::F32;
template <>
inline constexpr Dtype dtype_of<double> = Dtype::F64;
template <>
inline constexpr Dtype dtype_of<std::complex<float>> = Dtype::C64;
template <>
inline constexpr Dtype dtype_of<std::complex<double>> = Dtype::C128;

// A device such as "cpu" or "cuda:1". Factories on the device of a fake tensor create fake tensors,
// but the device prints and compares as the claimed one.
struct Device : tenon_device {
  Device() : tenon_device{TENON_DEVICE_CPU, 0} {}
  Device(tenon_device device) : tenon_device(device) {}
  Device(int32_t device_type, int32_t device_index) : tenon_device{device_type, device_index} {}
  explicit Device(const std::string& text) : tenon_device{} {
    check(tenon_device_parse(text.c_str(), this));
  }

  std::string str() const {
    std::string text = tenon_device_type_name(type);
    if (index >= 0 && !is_only_one()) text += ":" + std::to_string(claimed_index());
    return text;
  }
  bool is_fake() const { return index >= TENON_DEVICE_FAKE; }
  // CPU and Meta are single devices, so their index is ignored.
  friend bool operator==(const Device& a, const Device& b) {
    return a.type == b.type && (a.claimed_index() == b.claimed_index() || a.is_only_one());
  }

 private:
  int32_t claimed_index() const { return is_fake() ? index - TENON_DEVICE_FAKE : index; }
  bool is_only_one() const { return type == TENON_DEVICE_CPU || type == TENON_DEVICE_META; }
};

}  // namespace tenon::inline hpp

#endif
