// SPDX-License-Identifier: Apache-2.0
// Lossless conversions of arguments to the types that a schema requires.
#pragma once

#include <cstdint>
#include <optional>

#include "schema/type.h"
#include "tenon/value.h"
#include "value/value.h"

namespace tenon::dispatch {

/// Converts a value to `type`, which it is not of; tenon_schema_bind lists the conversions.
/// `list_size` is N of `T[N]`, otherwise -1. Empty if there is no conversion. The result borrows
/// what it does not own from `given`. Throws std::bad_alloc, or the error of parsing a device.
std::optional<value::OwnedValue> convert_value(const tenon_value& given, const schema::Type& type,
                                               int32_t list_size);

/// Returns the value without its flags for ownership and movability.
inline tenon_value borrowed(tenon_value value) noexcept {
  value.flags &= TENON_VALUE_HAS_SYMBOLIC;
  return value;
}

}  // namespace tenon::dispatch
