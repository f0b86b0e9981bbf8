// SPDX-License-Identifier: Apache-2.0
// Numbers of a graph that each run has anew: sizes of tensors, functions of them, and guards.
#pragma once

#include <cstdint>
#include <string>

#include "schema/type.h"
#include "tenon/symbol.h"
#include "tenon/value.h"

namespace tenon::graph {

constexpr uint32_t kUnbound = UINT32_MAX;

/// A size that a run reads of a tensor, and must lie from `low` to `high`.
struct Size {
  std::string name;            // "s0"
  uint32_t tensor = kUnbound;  // the value whose size it is
  uint32_t dim = 0;
  int64_t low = INT64_MIN;
  int64_t high = INT64_MAX;
  tenon_value hint{};  // an INT: the number when it was recorded; NONE: unknown
  uint32_t value = 0;  // its own number
};

/// A TENON_SYMBOL_* function of numbers: INT, FLOAT, or references.
struct Function {
  uint32_t function;
  tenon_value operands[2];
  uint32_t value;       // its own number
  uint32_t depth = 1;   // of functions in functions
  uint32_t leaves = 2;  // of its whole expression, as far as they can be counted

  int count() const noexcept {
    const bool is_unary = function == TENON_SYMBOL_SQRT || function == TENON_SYMBOL_FLOAT ||
                          function == TENON_SYMBOL_NOT;
    return is_unary ? 1 : 2;
  }
};

/// Functions nest so deep at most: they are walked by recursion.
constexpr uint32_t kMaxDepth = 256;

/// A relation that must hold in each run.
struct Guard {
  uint32_t function;  // TENON_SYMBOL_EQ to GE
  tenon_value operands[2];
  std::string op;  // whose kernel asked; "": none
  std::string file;
  int32_t line = 0;
};

/// The type of a number that an INT, FLOAT or BOOL is.
const schema::Type* number_type(uint16_t tag);

constexpr bool is_symbol_tag(uint16_t tag) noexcept {
  return tag >= TENON_TAG_SYMINT && tag <= TENON_TAG_SYMBOOL;
}

}  // namespace tenon::graph
