// SPDX-License-Identifier: Apache-2.0
// The functions of symbols on numbers.
#pragma once

#include <cstdint>
#include <optional>

namespace tenon::symbol {

/// EQ, NE, LT, LE, GT or GE.
bool is_relation(uint32_t function) noexcept;
/// The relation that holds where this one does not.
uint32_t negated(uint32_t relation) noexcept;
/// "+", "==", "max" and so on; NULL for an unknown function.
const char* function_text(uint32_t function) noexcept;

/// Nothing where the result exceeds int64, or for a division by 0.
std::optional<int64_t> calculate(uint32_t function, int64_t a, int64_t b) noexcept;
double calculate_real(uint32_t function, double a, double b) noexcept;
template <class Number>
bool holds(uint32_t relation, Number a, Number b) noexcept;

}  // namespace tenon::symbol
