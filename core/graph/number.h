// SPDX-License-Identifier: Apache-2.0
// Numbers that each run of a graph computes: sizes of tensors, functions of them, and guards.
#pragma once

#include <cstdint>
#include <string>

#include "schema/type.h"
#include "tenon/symbol.h"
#include "tenon/value.h"

namespace tenon::graph {

constexpr uint32_t kUnbound = UINT32_MAX;

/// A size that a run reads from a tensor and that must be between `low` and `high`.
struct Size {
  std::string name;            // "s0"
  uint32_t tensor = kUnbound;  // the value that has this size
  uint32_t dim = 0;
  int64_t low = INT64_MIN;
  int64_t high = INT64_MAX;
  tenon_value hint{};  // INT: the recorded size; NONE: unknown
  uint32_t value = 0;  // the value of this size
};

/// A TENON_SYMBOL_* function of numbers: INT, FLOAT, or references.
struct Function {
  uint32_t function;
  tenon_value operands[2];
  uint32_t value;       // the value of this function
  uint32_t depth = 1;   // nesting depth of functions
  uint32_t leaves = 2;  // of the whole expression, saturating

  int count() const noexcept {
    const bool is_unary = function == TENON_SYMBOL_SQRT || function == TENON_SYMBOL_FLOAT ||
                          function == TENON_SYMBOL_NOT;
    return is_unary ? 1 : 2;
  }
};

/// Maximum nesting depth of functions, which are walked recursively.
constexpr uint32_t kMaxDepth = 256;

/// A relation that must hold in each run.
struct Guard {
  uint32_t function;  // TENON_SYMBOL_EQ to GE
  tenon_value operands[2];
  std::string op;  // operator whose kernel needed the decision, or ""
  std::string file;
  int32_t line = 0;
};

/// Returns the type of an INT, FLOAT or BOOL.
const schema::Type* number_type(uint16_t tag);

constexpr bool is_symbol_tag(uint16_t tag) noexcept {
  return tag >= TENON_TAG_SYMINT && tag <= TENON_TAG_SYMBOOL;
}

}  // namespace tenon::graph
