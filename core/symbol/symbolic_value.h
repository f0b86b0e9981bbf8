// SPDX-License-Identifier: Apache-2.0
// Symbols as values: calculating with them, and what they come to.
#pragma once

#include <span>

#include "symbol/shape_env.h"
#include "value/value.h"

namespace tenon::symbol {

/// An INT, or a SYMINT that owns its reference.
tenon_value value_of_word(Word word) noexcept;

/// See tenon_symbol_apply.
tenon_value apply(uint32_t function, std::span<const tenon_value> args);

/// A copy with numbers for symbols, by guards of this place; see tenon_symbol_guard.
tenon_value concrete(const tenon_value& value, const Place* place);

}  // namespace tenon::symbol
