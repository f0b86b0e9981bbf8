// SPDX-License-Identifier: Apache-2.0
// Polynomial: a sum of products of atoms with integer coefficients, in a unique normal form.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace tenon::symbol {

struct Expression;

/// The atoms of a product, ordered by number and repeated by multiplicity.
using Monomial = std::vector<const Expression*>;

struct Term {
  int64_t coefficient;  // not 0, and a valid word
  Monomial atoms;       // not empty
};

/// A polynomial. Terms of higher degree come first, then terms are ordered by their atoms' numbers;
/// each monomial occurs once.
struct Polynomial {
  std::vector<Term> terms;
  int64_t constant = 0;

  bool is_number() const noexcept { return terms.empty(); }
  uint64_t hash() const noexcept;
  friend bool operator==(const Polynomial& a, const Polynomial& b) noexcept;
};

/// Limits of polynomials; a larger result becomes an atom instead.
constexpr size_t kMaxTerms = 64;
constexpr size_t kMaxDegree = 64;

/// Returns a + factor * b. Like the functions below, returns nothing if a number exceeds int64 or
/// is below -2^62, or if the result exceeds the limits.
std::optional<Polynomial> add(const Polynomial& a, const Polynomial& b, int64_t factor);
std::optional<Polynomial> multiply(const Polynomial& a, const Polynomial& b);
/// Returns the quotient if `b`, which must not be 0, divides `a` without remainder.
std::optional<Polynomial> divide_exactly(const Polynomial& a, const Polynomial& b);

/// Returns the value, given the atoms' values from `value_of(atom)`, an optional int64. Returns
/// nothing if a value is missing or the result exceeds int64.
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

/// Returns the greatest common divisor of the coefficients without the constant; 0 for a number.
int64_t content(const Polynomial& polynomial) noexcept;
/// Divides the coefficients by `divisor`, which must divide all of them, and rounds the constant
/// down.
void divide_by(Polynomial& polynomial, int64_t divisor) noexcept;
/// Returns the atoms that are factors of all terms, with multiplicity; none if the constant is not
/// 0.
Monomial common_atoms(const Polynomial& polynomial);
/// Removes one factor `atom` from every term. All terms must have it.
void remove_atom(Polynomial& polynomial, const Expression* atom);

}  // namespace tenon::symbol
