// SPDX-License-Identifier: Apache-2.0
// Polynomial: a sum of products of atoms with integer coefficients, in one normal form.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace tenon::symbol {

struct Expression;

/// Atoms of one product, by number, as often as they are factors.
using Monomial = std::vector<const Expression*>;

struct Term {
  int64_t coefficient;  // not 0, and a number that a word holds
  Monomial atoms;       // not empty
};

/// Terms of higher degree first, then by the numbers of their atoms; each monomial once.
struct Polynomial {
  std::vector<Term> terms;
  int64_t constant = 0;

  bool is_number() const noexcept { return terms.empty(); }
  uint64_t hash() const noexcept;
  friend bool operator==(const Polynomial& a, const Polynomial& b) noexcept;
};

/// So large polynomials get; what would exceed them becomes an atom.
constexpr size_t kMaxTerms = 64;
constexpr size_t kMaxDegree = 64;

/// a + factor * b. Nothing where a number exceeds int64 or is below -2^62, or the limits are met;
/// so below.
std::optional<Polynomial> add(const Polynomial& a, const Polynomial& b, int64_t factor);
std::optional<Polynomial> multiply(const Polynomial& a, const Polynomial& b);
/// The quotient where `b`, which is not 0, divides `a` without remainder.
std::optional<Polynomial> divide_exactly(const Polynomial& a, const Polynomial& b);

/// The value where `value_of(atom)`, an optional int64, stands for atoms. Nothing where one lacks,
/// or the result exceeds int64.
template <class ValueOf>
std::optional<int64_t> evaluate(const Polynomial& polynomial, ValueOf&& value_of) {
  int64_t sum = polynomial.constant;
  for (const Term& term : polynomial.terms) {
    int64_t product = term.coefficient;
    for (const Expression* atom : term.atoms) {
      const std::optional<int64_t> value = value_of(*atom);
      if (!value || __builtin_mul_overflow(product, *value, &product)) return std::nullopt;
    }
    if (__builtin_add_overflow(sum, product, &sum)) return std::nullopt;
  }
  return sum;
}

/// Greatest common divisor of the coefficients, without the constant; 0 for a number.
int64_t content(const Polynomial& polynomial) noexcept;
/// Divides coefficients by `divisor`, which divides all of them; the constant is rounded down.
void divide_by(Polynomial& polynomial, int64_t divisor) noexcept;
/// Atoms that are factors of all terms, as often as they are; none where there is a constant.
Monomial common_atoms(const Polynomial& polynomial);
/// Takes one factor out of every term, which all have it.
void remove_atom(Polynomial& polynomial, const Expression* atom);

}  // namespace tenon::symbol
