// SPDX-License-Identifier: Apache-2.0
// Expression: a symbolic number in its environment. Expressions are interned: equal ones are one
// object.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/symbol.h"
#include "symbol/interval.h"
#include "symbol/polynomial.h"

namespace tenon::symbol {

/// A number, or the word of an expression; see base/symbol.h.
using Word = int64_t;

/// The kind of an expression. Kinds up to kProduct are atoms: factors in the terms of polynomials.
enum class Kind : uint8_t {
  kVariable,
  kFloorDivide,
  kModulo,
  kMax,
  kMin,
  kSum,      // of operands whose polynomial would be too large
  kProduct,  // of operands whose polynomial would be too large
  kPolynomial,
  kRelation,    // TENON_SYMBOL_EQ and the like of two ints: a SymBool
  kConnective,  // and, or, not of SymBools: a SymBool
  kReal,        // a function of numbers of any kind: a SymFloat, or a relation of floats
};

/// Facts about a polynomial without a constant term, normalized: its coefficients have no common
/// divisor, and the first one is positive.
struct PolynomialFacts {
  Interval bounds;
  std::vector<int64_t> excluded;  // values that the polynomial cannot have
};

/// An operand: an int, the word of an expression, or a float.
struct Operand {
  Word word = 0;
  double number = 0;
  bool is_float = false;
  friend bool operator==(const Operand&, const Operand&) = default;
};

struct Expression final : tenon_symbol {
  Expression(base::SymbolOwner* its_owner, uint16_t its_tag, Kind its_kind,
             uint32_t its_number) noexcept
      : tenon_symbol{its_owner, its_tag}, kind(its_kind), number(its_number) {}

  // Immutable after other threads can see the expression.
  const Kind kind;
  const uint32_t number;          // order of creation: greater than that of the operands
  uint32_t depth = 0;             // nesting depth of operands
  uint32_t function = 0;          // TENON_SYMBOL_* of kRelation and kReal
  bool is_backed = false;         // has a hint
  int64_t hint = 0;               // hint of ints and bools
  double real_hint = 0;           // hint of floats
  std::string name;               // name of a variable
  Interval range;                 // range that a variable was created with
  std::vector<Operand> operands;  // empty for variables and polynomials
  Polynomial polynomial;          // of ints; an atom's polynomial is the atom itself

  // Guarded by the environment's lock.
  mutable PolynomialFacts facts;
  mutable Interval bounds[2];               // by DecisionMode; computed at fact number `bounds_at`
  mutable uint32_t bounds_at[2] = {};       // 0: not computed
  mutable Word simpler = 0;                 // simplified word, as of replacement `simplified_at`
  mutable uint32_t simplified_at = 0;       // 0: not computed
  mutable std::optional<Word> replacement;  // of a variable

  bool is_atom() const noexcept { return kind < Kind::kPolynomial; }
};

/// Maximum nesting depth of operands, because they are walked recursively.
constexpr uint32_t kMaxDepth = 256;

inline const Expression* expression_of(Word word) noexcept {
  return static_cast<const Expression*>(base::symbol_of(word));
}

}  // namespace tenon::symbol
