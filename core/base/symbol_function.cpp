// SPDX-License-Identifier: Apache-2.0
#include "base/symbol_function.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "tenon/symbol.h"

namespace tenon::base {

bool is_relation(uint32_t function) noexcept {
  return function >= TENON_SYMBOL_EQ && function <= TENON_SYMBOL_GE;
}

uint32_t negated(uint32_t relation) noexcept {
  switch (relation) {
    case TENON_SYMBOL_EQ:
      return TENON_SYMBOL_NE;
    case TENON_SYMBOL_NE:
      return TENON_SYMBOL_EQ;
    case TENON_SYMBOL_LT:
      return TENON_SYMBOL_GE;
    case TENON_SYMBOL_LE:
      return TENON_SYMBOL_GT;
    case TENON_SYMBOL_GT:
      return TENON_SYMBOL_LE;
    default:
      return TENON_SYMBOL_LT;
  }
}

const char* function_text(uint32_t function) noexcept {
  constexpr const char* kTexts[] = {"+",  "-",  "*", "//", "%", "max", "min", "/",  "sqrt", "float",
                                    "==", "!=", "<", "<=", ">", ">=",  "and", "or", "not"};
  static_assert(std::size(kTexts) == TENON_SYMBOL_NOT + 1);
  return function < std::size(kTexts) ? kTexts[function] : nullptr;
}

std::optional<int64_t> calculate(uint32_t function, int64_t a, int64_t b) noexcept {
  int64_t result = 0;
  switch (function) {
    case TENON_SYMBOL_ADD:
      return __builtin_add_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    case TENON_SYMBOL_SUB:
      return __builtin_sub_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    case TENON_SYMBOL_MUL:
      return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    case TENON_SYMBOL_FLOORDIV:
    case TENON_SYMBOL_MOD:
      if (b == 0 || (a == INT64_MIN && b == -1)) return std::nullopt;
      result = floor_quotient(a, b);
      return function == TENON_SYMBOL_FLOORDIV ? result : a - result * b;
    case TENON_SYMBOL_MAX:
      return std::max(a, b);
    case TENON_SYMBOL_MIN:
      return std::min(a, b);
    case TENON_SYMBOL_AND:
      return a != 0 && b != 0;
    case TENON_SYMBOL_OR:
      return a != 0 || b != 0;
    case TENON_SYMBOL_NOT:
      return a == 0;
    default:
      TENON_DCHECK(is_relation(function));
      return holds(function, a, b);
  }
}

double calculate_real(uint32_t function, double a, double b) noexcept {
  switch (function) {
    case TENON_SYMBOL_ADD:
      return a + b;
    case TENON_SYMBOL_SUB:
      return a - b;
    case TENON_SYMBOL_MUL:
      return a * b;
    case TENON_SYMBOL_FLOORDIV:
      return std::floor(a / b);
    case TENON_SYMBOL_MOD:
      return a - b * std::floor(a / b);
    case TENON_SYMBOL_MAX:
      return std::fmax(a, b);
    case TENON_SYMBOL_MIN:
      return std::fmin(a, b);
    case TENON_SYMBOL_TRUEDIV:
      return a / b;
    case TENON_SYMBOL_SQRT:
      return std::sqrt(a);
    default:
      TENON_DCHECK(function == TENON_SYMBOL_FLOAT);
      return a;
  }
}

template <class Number>
bool holds(uint32_t relation, Number a, Number b) noexcept {
  switch (relation) {
    case TENON_SYMBOL_EQ:
      return a == b;
    case TENON_SYMBOL_NE:
      return a != b;
    case TENON_SYMBOL_LT:
      return a < b;
    case TENON_SYMBOL_LE:
      return a <= b;
    case TENON_SYMBOL_GT:
      return a > b;
    default:
      return a >= b;
  }
}
template bool holds(uint32_t, int64_t, int64_t) noexcept;
template bool holds(uint32_t, double, double) noexcept;

}  // namespace tenon::base
