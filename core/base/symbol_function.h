// SPDX-License-Identifier: Apache-2.0
// The functions of symbols, TENON_SYMBOL_*, on numbers; core/symbol and graphs compute with them.
#pragma once

#include <cstdint>
#include <optional>

namespace tenon::base {

/// Returns true for EQ, NE, LT, LE, GT and GE.
bool is_relation(uint32_t function) noexcept;
/// Returns the relation that holds if and only if `relation` does not.
uint32_t negated(uint32_t relation) noexcept;
/// Returns "+", "==", "max" and so on; NULL for an unknown function.
const char* function_text(uint32_t function) noexcept;

/// Divides and rounds towards minus infinity, as in Python; `b` is not 0.
constexpr int64_t floor_quotient(int64_t a, int64_t b) noexcept {
  const int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

/// Computes a function. Empty if the result exceeds int64, and for a division by 0.
std::optional<int64_t> calculate(uint32_t function, int64_t a, int64_t b) noexcept;
double calculate_real(uint32_t function, double a, double b) noexcept;
template <class Number>
bool holds(uint32_t relation, Number a, Number b) noexcept;

}  // namespace tenon::base
