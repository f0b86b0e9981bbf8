// SPDX-License-Identifier: Apache-2.0
// Single elements by dtype: decoding of small floats, and conversion to plain numbers.
#pragma once

#include <complex>
#include <cstdint>

#include "tenon/types.h"

namespace tenon::tensor {

/// Return the exact values of small floats by their bits.
float half_to_float(uint16_t bits) noexcept;
float bfloat16_to_float(uint16_t bits) noexcept;
float float8_e5m2_to_float(uint8_t bits) noexcept;
float float8_e4m3fn_to_float(uint8_t bits) noexcept;

/// Reads one element of any dtype but a complex one. Integers above 2^53 lose precision.
double load_real(const void* element, tenon_dtype dtype) noexcept;
/// Reads one element of a bool or integer dtype. uint64 above the range of int64 wraps.
int64_t load_integer(const void* element, tenon_dtype dtype) noexcept;
/// Reads one element of a complex dtype.
std::complex<double> load_complex(const void* element, tenon_dtype dtype) noexcept;

}  // namespace tenon::tensor
