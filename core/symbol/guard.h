// SPDX-License-Identifier: Apache-2.0
// Guard: a relation that was decided by the hints of symbols, and the place that asked.
#pragma once

#include <cstdint>
#include <string>

#include "symbol/expression.h"

namespace tenon::symbol {

/// Where in a program a decision was asked for.
struct Place {
  std::string file;  // "": unknown
  int32_t line = 0;
  std::string op;        // the operator whose kernel asked; "": none
  std::string argument;  // that has the symbol; "": unknown

  /// The innermost operator that the calling thread runs a kernel of, and the innermost line of a
  /// language that tells its frames. Runs code of languages: no lock is held.
  static Place current();
  /// " (aten::view, model.py:12)", or "".
  std::string text() const;
};

/// `relation`, a kRelation or kReal expression, is true; or it is false.
struct Guard {
  const Expression* relation;
  bool truth;
  Place place;
};

}  // namespace tenon::symbol
