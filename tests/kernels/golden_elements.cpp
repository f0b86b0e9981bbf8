// SPDX-License-Identifier: Apache-2.0
// Element conversions by arithmetic instead of bits, to check the kernels' conversions.
#include "kernels/golden_elements.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>

namespace tenon::tests {
namespace {

// A small float format: the value is sign * 1.m * 2^(e - bias), and subnormal for e = 0.
struct SmallFormat {
  int exponent_bits;
  int mantissa_bits;
  int bias;
  bool has_infinity;
};

SmallFormat small_format(Dtype dtype) {
  switch (dtype) {
    case Dtype::F16:
      return {5, 10, 15, true};
    case Dtype::BF16:
      return {8, 7, 127, true};
    case Dtype::F8E5M2:
      return {5, 2, 15, true};
    default:
      return {4, 3, 7, false};  // float8_e4m3fn
  }
}

double decode_small(const SmallFormat& format, uint32_t bits) {
  const uint32_t mantissa = bits & ((1U << format.mantissa_bits) - 1);
  const uint32_t exponent = (bits >> format.mantissa_bits) & ((1U << format.exponent_bits) - 1);
  const bool negative = (bits >> (format.mantissa_bits + format.exponent_bits) & 1) != 0;
  const uint32_t top = (1U << format.exponent_bits) - 1;
  double value;
  if (format.has_infinity && exponent == top) {
    value = mantissa == 0 ? std::numeric_limits<double>::infinity()
                          : std::numeric_limits<double>::quiet_NaN();
  } else if (!format.has_infinity && exponent == top &&
             mantissa == (1U << format.mantissa_bits) - 1) {
    value = std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == 0) {
    value = std::ldexp(mantissa, 1 - format.bias - format.mantissa_bits);
  } else {
    value = std::ldexp((1U << format.mantissa_bits) | mantissa,
                       static_cast<int>(exponent) - format.bias - format.mantissa_bits);
  }
  return negative ? -value : value;
}

// Returns the bits of the nearest element to a number, with ties to even.
uint32_t encode_small(const SmallFormat& format, double value) {
  const int width = 1 + format.exponent_bits + format.mantissa_bits;
  uint32_t best = 0;
  double distance = std::numeric_limits<double>::infinity();
  for (uint32_t bits = 0; bits < (1U << width); ++bits) {
    const double candidate = decode_small(format, bits);
    if (std::isnan(value) && std::isnan(candidate)) return bits;
    if (candidate == value && std::signbit(candidate) == std::signbit(value)) return bits;
    const double apart = std::fabs(candidate - value);
    const bool nearer = apart < distance || (apart == distance && bits % 2 == 0);
    if (nearer && std::signbit(candidate) == std::signbit(value)) {
      best = bits;
      distance = apart;
    }
  }
  return best;
}

template <class T>
void put(char* at, T value) {
  std::memcpy(at, &value, sizeof value);
}
template <class T>
T get(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

}  // namespace

Number parse_number(const std::string& text, Dtype dtype) {
  Number number;
  if (is_integral(dtype) || dtype == Dtype::Bool) {
    number.integer = std::strtoll(text.c_str(), nullptr, 10);
    number.real = static_cast<double>(number.integer);
    return number;
  }
  char* rest = nullptr;
  number.real = std::strtod(text.c_str(), &rest);
  if (*rest == ',') number.imag = std::strtod(rest + 1, nullptr);
  return number;
}

void write_element(char* at, Dtype dtype, const std::string& text) {
  const Number number = parse_number(text, dtype);
  switch (dtype) {
    case Dtype::Bool:
    case Dtype::U8:
      return put(at, static_cast<uint8_t>(number.integer));
    case Dtype::I8:
      return put(at, static_cast<int8_t>(number.integer));
    case Dtype::I16:
      return put(at, static_cast<int16_t>(number.integer));
    case Dtype::I32:
      return put(at, static_cast<int32_t>(number.integer));
    case Dtype::I64:
      return put(at, number.integer);
    case Dtype::F32:
      return put(at, std::strtof(text.c_str(), nullptr));
    case Dtype::F64:
      return put(at, number.real);
    case Dtype::C64:
      put(at, std::strtof(text.c_str(), nullptr));
      return put(at + 4, static_cast<float>(number.imag));
    case Dtype::C128:
      put(at, number.real);
      return put(at + 8, number.imag);
    case Dtype::F16:
    case Dtype::BF16: {
      static std::map<std::pair<Dtype, std::string>, uint16_t> known;  // the search is slow
      auto [found, is_new] = known.try_emplace({dtype, text});
      if (is_new) {
        found->second = static_cast<uint16_t>(encode_small(small_format(dtype), number.real));
      }
      return put(at, found->second);
    }
    default:
      return put(at, static_cast<uint8_t>(encode_small(small_format(dtype), number.real)));
  }
}

Number read_element(const char* at, Dtype dtype) {
  Number number;
  switch (dtype) {
    case Dtype::Bool:
    case Dtype::U8:
      number.integer = get<uint8_t>(at);
      break;
    case Dtype::I8:
      number.integer = get<int8_t>(at);
      break;
    case Dtype::I16:
      number.integer = get<int16_t>(at);
      break;
    case Dtype::I32:
      number.integer = get<int32_t>(at);
      break;
    case Dtype::I64:
      number.integer = get<int64_t>(at);
      break;
    case Dtype::F32:
      number.real = static_cast<double>(get<float>(at));
      return number;
    case Dtype::F64:
      number.real = get<double>(at);
      return number;
    case Dtype::C64:
      number.real = static_cast<double>(get<float>(at));
      number.imag = static_cast<double>(get<float>(at + 4));
      return number;
    case Dtype::C128:
      number.real = get<double>(at);
      number.imag = get<double>(at + 8);
      return number;
    case Dtype::F16:
    case Dtype::BF16:
      number.real = decode_small(small_format(dtype), get<uint16_t>(at));
      return number;
    default:
      number.real = decode_small(small_format(dtype), get<uint8_t>(at));
      return number;
  }
  number.real = static_cast<double>(number.integer);
  return number;
}

}  // namespace tenon::tests
