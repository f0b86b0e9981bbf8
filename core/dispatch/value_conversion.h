// SPDX-License-Identifier: Apache-2.0
// Conversions of given arguments to the types that a schema asks for, where nothing is lost.
#pragma once

#include <cstdint>
#include <optional>

#include "schema/type.h"
#include "tenon/value.h"
#include "value/value.h"

namespace tenon::dispatch {

/// Makes a value of `type` out of one that is not: the conversions are listed at tenon_schema_bind.
/// `list_size` is N of `T[N]`, else -1. Empty where there is none. What the result does not own it
/// borrows from `given`. Throws std::bad_alloc, and what a device's text is refused with.
std::optional<value::OwnedValue> convert_value(const tenon_value& given, const schema::Type& type,
                                               int32_t list_size);

/// The same value without what it owns or gives away.
inline tenon_value borrowed(tenon_value value) noexcept {
  value.flags &= TENON_VALUE_HAS_SYMBOLIC;
  return value;
}

}  // namespace tenon::dispatch
