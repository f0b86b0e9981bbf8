// SPDX-License-Identifier: Apache-2.0
// Expression: a symbolic number as its environment keeps it. Equal ones are one object.
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

/// A number or an expression's word, see base/symbol.h.
using Word = int64_t;

/// What an expression is. Those up to kProduct are atoms: factors of polynomials' terms.
enum class Kind : uint8_t {
  kVariable,
  kFloorDivide,
  kModulo,
  kMax,
  kMin,
  kSum,      // of operands whose polynomial would be too large
  kProduct,  // the same
  kPolynomial,
  kRelation,    // of two ints, a TENON_SYMBOL_EQ and its like: a SymBool
  kConnective,  // and, or, not of truths: a SymBool
  kReal,        // a function of numbers of any kind: a SymFloat, or a relation of floats
};

/// What is known of a polynomial without constant, whose coefficients have no common divisor and
/// whose first one is positive.
struct Facts {
  Interval bounds;
  std::vector<int64_t> excluded;  // numbers that it is not
};

/// An operand: an int or expression's word, or a float.
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

  // Never changed once others see it.
  const Kind kind;
  const uint32_t number;          // in order of making: above those of its operands
  uint32_t depth = 0;             // of operands in operands
  uint32_t function = 0;          // of kRelation and kReal, TENON_SYMBOL_*
  bool is_backed = false;         // there is a hint
  int64_t hint = 0;               // of ints and bools
  double real_hint = 0;           // of floats
  std::string name;               // of a variable
  Interval range;                 // of a variable as it was made
  std::vector<Operand> operands;  // of all but variables and polynomials
  Polynomial polynomial;          // of ints; of an atom, itself

  // Needs the environment's lock.
  mutable Facts facts;
  mutable Interval bounds[2];               // by Asking, as of fact number `bounds_at`
  mutable uint32_t bounds_at[2] = {};       // 0: not looked at
  mutable Word simpler = 0;                 // what it stands for since replacement `simplified_at`
  mutable uint32_t simplified_at = 0;       // 0: not looked at
  mutable std::optional<Word> replacement;  // of a variable

  bool is_atom() const noexcept { return kind < Kind::kPolynomial; }
};

/// Operands nest so deep at most: they are walked by recursion.
constexpr uint32_t kMaxDepth = 256;

inline const Expression* expression_of(Word word) noexcept {
  return static_cast<const Expression*>(base::symbol_of(word));
}

}  // namespace tenon::symbol
