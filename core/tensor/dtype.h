// SPDX-License-Identifier: Apache-2.0
// Element types: sizes, names, traits, promotion and the default floating dtype.
#pragma once

#include <cstdint>
#include <string_view>

#include "tenon/types.h"

namespace tenon::tensor {

/// One more than the highest dtype number; tables indexed by dtype have this many entries.
constexpr int32_t kDtypeLimit = TENON_DTYPE_U64 + 1;

/// Size of an element in bytes by dtype number, 0 for numbers that are not a dtype.
extern const uint8_t kDtypeSizes[kDtypeLimit];

constexpr bool in_dtype_range(tenon_dtype dtype) noexcept {
  return static_cast<uint32_t>(dtype) < static_cast<uint32_t>(kDtypeLimit);
}
inline int64_t dtype_size(tenon_dtype dtype) noexcept {
  return in_dtype_range(dtype) ? kDtypeSizes[dtype] : 0;
}
inline bool is_dtype(tenon_dtype dtype) noexcept { return dtype_size(dtype) != 0; }

/// Returns "float32" and so on, "unknown" for an unknown dtype. Static text.
const char* dtype_name(tenon_dtype dtype) noexcept;
/// Finds a dtype by name or alias. Returns TENON_DTYPE_NONE if there is none.
tenon_dtype find_dtype(std::string_view name) noexcept;
/// Returns TENON_DTYPE_IS_* bits; 0 for bool and unknown dtypes.
uint32_t dtype_traits(tenon_dtype dtype) noexcept;

/// The traits that calls test, as sets with a bit for each dtype.
constexpr uint32_t dtype_bit(tenon_dtype dtype) noexcept { return uint32_t{1} << dtype; }
constexpr uint32_t kComplexDtypes =
    dtype_bit(TENON_DTYPE_C32) | dtype_bit(TENON_DTYPE_C64) | dtype_bit(TENON_DTYPE_C128);
constexpr uint32_t kFloatingDtypes =
    dtype_bit(TENON_DTYPE_F16) | dtype_bit(TENON_DTYPE_F32) | dtype_bit(TENON_DTYPE_F64) |
    dtype_bit(TENON_DTYPE_BF16) | dtype_bit(TENON_DTYPE_F8_E5M2) | dtype_bit(TENON_DTYPE_F8_E4M3FN);
constexpr bool is_floating(tenon_dtype dtype) noexcept {
  return in_dtype_range(dtype) && (kFloatingDtypes >> dtype & 1) != 0;
}
constexpr bool is_complex(tenon_dtype dtype) noexcept {
  return in_dtype_range(dtype) && (kComplexDtypes >> dtype & 1) != 0;
}

/// Returns the dtype that both promote to. Throws TENON_ERROR_NOT_SUPPORTED for float8 with another
/// dtype and for uint16, uint32 and uint64 with one that is not floating, and
/// TENON_ERROR_INVALID_ARGUMENT for a number that is not a dtype.
tenon_dtype promote_dtypes(tenon_dtype a, tenon_dtype b);

/// Return the default floating dtype of the process, and the complex dtype of the same precision.
tenon_dtype default_dtype() noexcept;
tenon_dtype default_complex_dtype() noexcept;
/// Throws TENON_ERROR_TYPE unless `dtype` is floating.
void set_default_dtype(tenon_dtype dtype);

}  // namespace tenon::tensor
