// SPDX-License-Identifier: Apache-2.0
// Guard: a relation that was decided by the hints of symbols, and the program location that needed
// it.
#pragma once

#include <cstdint>
#include <string>

#include "symbol/expression.h"

namespace tenon::symbol {

/// The program location that needed a decision.
struct GuardLocation {
  std::string file;  // "": unknown
  int32_t line = 0;
  std::string op;        // the operator whose kernel needed it; "": none
  std::string argument;  // the argument that has the symbol; "": unknown

  /// Returns the innermost operator whose kernel the calling thread runs, and the innermost source
  /// line that a language binding reports. Calls bindings, so no lock may be held.
  static GuardLocation current();
  /// Returns " (aten::view, model.py:12)" and the like, or "".
  std::string text() const;
};

/// States that `relation`, a kRelation or kReal expression, has the value `truth`.
struct Guard {
  const Expression* relation;
  bool truth;
  GuardLocation place;
};

}  // namespace tenon::symbol
