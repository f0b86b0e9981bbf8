// SPDX-License-Identifier: Apache-2.0
#include "tensor/element.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace tenon::tensor {

namespace {

template <class T>
T load(const void* element) noexcept {
  T value;
  std::memcpy(&value, element, sizeof value);
  return value;
}

// Decodes a float with a sign bit, `exponent_bits` and `mantissa_bits`, with infinities and NaN as
// in IEEE 754.
float small_to_float(uint32_t bits, int exponent_bits, int mantissa_bits) noexcept {
  const uint32_t mantissa = bits & ((1u << mantissa_bits) - 1);
  const uint32_t exponent = (bits >> mantissa_bits) & ((1u << exponent_bits) - 1);
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const bool negative = ((bits >> (exponent_bits + mantissa_bits)) & 1) != 0;
  float value;
  if (exponent == (1u << exponent_bits) - 1) {
    value = mantissa != 0 ? std::numeric_limits<float>::quiet_NaN()
                          : std::numeric_limits<float>::infinity();
  } else if (exponent == 0) {
    value = std::ldexp(static_cast<float>(mantissa), 1 - bias - mantissa_bits);
  } else {
    value = std::ldexp(static_cast<float>(mantissa | (1u << mantissa_bits)),
                       static_cast<int>(exponent) - bias - mantissa_bits);
  }
  return negative ? -value : value;
}

}  // namespace

float half_to_float(uint16_t bits) noexcept { return small_to_float(bits, 5, 10); }

float bfloat16_to_float(uint16_t bits) noexcept {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

float float8_e5m2_to_float(uint8_t bits) noexcept { return small_to_float(bits, 5, 2); }

// "fn" means finite: the highest exponent holds numbers, too, and only all ones is NaN.
float float8_e4m3fn_to_float(uint8_t bits) noexcept {
  const uint32_t magnitude = bits & 0x7fu;
  if (magnitude == 0x7f) return std::numeric_limits<float>::quiet_NaN();
  if (magnitude < 0x78) return small_to_float(bits, 4, 3);
  const float value = std::ldexp(static_cast<float>(8 + (magnitude & 7)), 5);
  return (bits & 0x80) != 0 ? -value : value;
}

double load_real(const void* element, tenon_dtype dtype) noexcept {
  switch (dtype) {
    case TENON_DTYPE_F64:
      return load<double>(element);
    case TENON_DTYPE_F32:
      return load<float>(element);
    case TENON_DTYPE_F16:
      return half_to_float(load<uint16_t>(element));
    case TENON_DTYPE_BF16:
      return bfloat16_to_float(load<uint16_t>(element));
    case TENON_DTYPE_F8_E5M2:
      return float8_e5m2_to_float(load<uint8_t>(element));
    case TENON_DTYPE_F8_E4M3FN:
      return float8_e4m3fn_to_float(load<uint8_t>(element));
    case TENON_DTYPE_U64:
      return static_cast<double>(load<uint64_t>(element));
    default:
      return static_cast<double>(load_integer(element, dtype));
  }
}

int64_t load_integer(const void* element, tenon_dtype dtype) noexcept {
  switch (dtype) {
    case TENON_DTYPE_BOOL:
      return load<uint8_t>(element) != 0;
    case TENON_DTYPE_U8:
      return load<uint8_t>(element);
    case TENON_DTYPE_I8:
      return load<int8_t>(element);
    case TENON_DTYPE_I16:
      return load<int16_t>(element);
    case TENON_DTYPE_I32:
      return load<int32_t>(element);
    case TENON_DTYPE_U16:
      return load<uint16_t>(element);
    case TENON_DTYPE_U32:
      return load<uint32_t>(element);
    default:
      return load<int64_t>(element);
  }
}

std::complex<double> load_complex(const void* element, tenon_dtype dtype) noexcept {
  if (dtype == TENON_DTYPE_C32) {
    const auto bits = load<uint32_t>(element);
    return {half_to_float(static_cast<uint16_t>(bits)),
            half_to_float(static_cast<uint16_t>(bits >> 16))};
  }
  if (dtype == TENON_DTYPE_C64) {
    const auto value = load<std::complex<float>>(element);
    return {value.real(), value.imag()};
  }
  return load<std::complex<double>>(element);
}

}  // namespace tenon::tensor
