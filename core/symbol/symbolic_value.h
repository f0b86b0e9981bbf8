// SPDX-License-Identifier: Apache-2.0
// Symbols as values: arithmetic, and conversion to numbers.
#pragma once

#include <span>

#include "symbol/shape_env.h"
#include "value/value.h"

namespace tenon::symbol {

/// Returns an INT, or a SYMINT that owns a reference.
tenon_value value_of_word(Word word) noexcept;

/// See tenon_symbol_apply.
tenon_value apply(uint32_t function, std::span<const tenon_value> args);

/// Returns a copy with numbers in place of symbols, fixed by guards at `place`; see
/// tenon_symbol_guard.
tenon_value concrete(const tenon_value& value, const GuardLocation* place);

}  // namespace tenon::symbol
