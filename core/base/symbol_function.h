// SPDX-License-Identifier: Apache-2.0
// The functions of symbols, TENON_SYMBOL_*, on numbers: core/symbol and graphs calculate with them.
#pragma once

#include <cstdint>
#include <optional>

namespace tenon::base {

/// EQ, NE, LT, LE, GT or GE.
bool is_relation(uint32_t function) noexcept;
/// The relation that holds where this one does not.
uint32_t negated(uint32_t relation) noexcept;
/// "+", "==", "max" and so on; NULL for an unknown function.
const char* function_text(uint32_t function) noexcept;

/// Towards minus infinity, as in Python; `b` is not 0.
constexpr int64_t floor_quotient(int64_t a, int64_t b) noexcept {
  const int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

/// Nothing where the result exceeds int64, or for a division by 0.
std::optional<int64_t> calculate(uint32_t function, int64_t a, int64_t b) noexcept;
double calculate_real(uint32_t function, double a, double b) noexcept;
template <class Number>
bool holds(uint32_t relation, Number a, Number b) noexcept;

}  // namespace tenon::base
