// SPDX-License-Identifier: Apache-2.0
#include "symbol/polynomial.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "symbol/expression.h"
#include "symbol/interval.h"

namespace tenon::symbol {

namespace {

bool comes_before(const Expression* a, const Expression* b) noexcept {
  return a->number < b->number;
}

// Graded order: higher degrees first, so that the leading term of a product is the product of its
// factors' leading terms.
bool comes_first(const Monomial& a, const Monomial& b) noexcept {
  if (a.size() != b.size()) return a.size() > b.size();
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), comes_before);
}

// Appends a term, or adds it to the last one if that has the same atoms. Returns false if a
// coefficient overflows or becomes INT64_MIN, which cannot be negated.
bool append(Polynomial& sum, const Monomial& atoms, int64_t coefficient) {
  if (!sum.terms.empty() && sum.terms.back().atoms == atoms) {
    int64_t& last = sum.terms.back().coefficient;
    if (__builtin_add_overflow(last, coefficient, &last) || last == INT64_MIN) return false;
    if (last == 0) sum.terms.pop_back();
    return true;
  }
  if (coefficient != 0) sum.terms.push_back({coefficient, atoms});
  return coefficient != INT64_MIN;
}

Monomial product(const Monomial& a, const Monomial& b) {
  Monomial atoms(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), atoms.begin(), comes_before);
  return atoms;
}

// Returns true if `of` contains all of `atoms`, and stores its remaining atoms in `out_rest`.
bool divides(const Monomial& atoms, const Monomial& of, Monomial* out_rest) {
  if (!std::includes(of.begin(), of.end(), atoms.begin(), atoms.end(), comes_before)) return false;
  out_rest->clear();
  std::set_difference(of.begin(), of.end(), atoms.begin(), atoms.end(),
                      std::back_inserter(*out_rest), comes_before);
  return true;
}

}  // namespace

uint64_t Polynomial::hash() const noexcept {
  constexpr uint64_t kPrime = 0x9E3779B97F4A7C15;
  uint64_t hash = static_cast<uint64_t>(constant) * kPrime;
  const auto mix = [&hash](uint64_t word) { hash = (hash ^ word ^ hash >> 29) * kPrime; };
  for (const Term& term : terms) {
    mix(static_cast<uint64_t>(term.coefficient));
    for (const Expression* atom : term.atoms) mix(atom->number);
  }
  return hash;
}

bool operator==(const Polynomial& a, const Polynomial& b) noexcept {
  const auto same = [](const Term& x, const Term& y) {
    return x.coefficient == y.coefficient && x.atoms == y.atoms;
  };
  return a.constant == b.constant &&
         std::equal(a.terms.begin(), a.terms.end(), b.terms.begin(), b.terms.end(), same);
}

std::optional<Polynomial> add(const Polynomial& a, const Polynomial& b, int64_t factor) {
  Polynomial sum;
  int64_t scaled = 0;
  if (__builtin_mul_overflow(b.constant, factor, &scaled) ||
      __builtin_add_overflow(a.constant, scaled, &sum.constant)) {
    return std::nullopt;
  }
  auto next = a.terms.begin();
  for (const Term& term : b.terms) {
    while (next != a.terms.end() && comes_first(next->atoms, term.atoms)) {
      sum.terms.push_back(*next++);
    }
    int64_t coefficient = 0;
    if (__builtin_mul_overflow(term.coefficient, factor, &coefficient)) return std::nullopt;
    if (next != a.terms.end() && next->atoms == term.atoms) sum.terms.push_back(*next++);
    if (!append(sum, term.atoms, coefficient)) return std::nullopt;
  }
  sum.terms.insert(sum.terms.end(), next, a.terms.end());
  if (sum.terms.size() > kMaxTerms) return std::nullopt;
  // Coefficients must be valid words, because later arithmetic treats them as words.
  const bool are_words =
      sum.constant >= base::kLeastNumber && std::ranges::all_of(sum.terms, [](const Term& term) {
        return term.coefficient >= base::kLeastNumber;
      });
  if (!are_words) return std::nullopt;
  return sum;
}

std::optional<Polynomial> multiply(const Polynomial& a, const Polynomial& b) {
  Polynomial sum;
  for (const Term& term : a.terms) {
    Polynomial row;
    for (const Term& other : b.terms) {
      int64_t coefficient = 0;
      if (term.atoms.size() + other.atoms.size() > kMaxDegree ||
          __builtin_mul_overflow(term.coefficient, other.coefficient, &coefficient)) {
        return std::nullopt;
      }
      row.terms.push_back({coefficient, product(term.atoms, other.atoms)});
    }
    std::sort(row.terms.begin(), row.terms.end(),
              [](const Term& x, const Term& y) { return comes_first(x.atoms, y.atoms); });
    auto added = add(sum, row, 1);
    if (!added) return std::nullopt;
    sum = std::move(*added);
  }
  auto scaled = add(sum, {a.terms, 0}, b.constant);
  if (scaled) scaled = add(*scaled, b, a.constant);
  return scaled;
}

namespace {

std::optional<Polynomial> divide_by_number(const Polynomial& a, int64_t divisor) {
  TENON_DCHECK(divisor != 0);
  if (divisor == -1) return add({}, a, -1);
  if (a.constant % divisor != 0 || content(a) % divisor != 0) return std::nullopt;
  Polynomial quotient = a;
  divide_by(quotient, divisor);
  return quotient;
}

}  // namespace

// Long division by leading terms.
std::optional<Polynomial> divide_exactly(const Polynomial& a, const Polynomial& b) {
  if (b.is_number()) return divide_by_number(a, b.constant);
  const Term& lead = b.terms.front();
  Polynomial quotient;
  std::optional<Polynomial> rest = a;
  while (!rest->is_number()) {
    const Term& next = rest->terms.front();
    Monomial atoms;
    if (next.coefficient % lead.coefficient != 0 || !divides(lead.atoms, next.atoms, &atoms) ||
        quotient.terms.size() == kMaxTerms) {
      return std::nullopt;
    }
    const int64_t coefficient = next.coefficient / lead.coefficient;
    Polynomial part;
    if (atoms.empty()) {
      part.constant = quotient.constant = coefficient;
    } else {
      quotient.terms.push_back({coefficient, atoms});
      part.terms.push_back({coefficient, std::move(atoms)});
    }
    const auto known = multiply(part, b);
    rest = known ? add(*rest, *known, -1) : std::nullopt;
    if (!rest) return std::nullopt;
  }
  if (rest->constant != 0) return std::nullopt;
  return quotient;
}

int64_t content(const Polynomial& polynomial) noexcept {
  int64_t divisor = 0;
  for (const Term& term : polynomial.terms) divisor = std::gcd(divisor, term.coefficient);
  return divisor;
}

void divide_by(Polynomial& polynomial, int64_t divisor) noexcept {
  TENON_DCHECK(divisor != 0 && content(polynomial) % divisor == 0);
  for (Term& term : polynomial.terms) term.coefficient /= divisor;
  polynomial.constant = floor_quotient(polynomial.constant, divisor);
}

Monomial common_atoms(const Polynomial& polynomial) {
  if (polynomial.constant != 0 || polynomial.is_number()) return {};
  Monomial shared = polynomial.terms.front().atoms;
  for (const Term& term : polynomial.terms) {
    Monomial both;
    std::set_intersection(shared.begin(), shared.end(), term.atoms.begin(), term.atoms.end(),
                          std::back_inserter(both), comes_before);
    shared = std::move(both);
  }
  return shared;
}

void remove_atom(Polynomial& polynomial, const Expression* atom) {
  Polynomial rest;
  for (Term& term : polynomial.terms) {
    TENON_DCHECK(std::ranges::find(term.atoms, atom) != term.atoms.end());
    term.atoms.erase(std::find(term.atoms.begin(), term.atoms.end(), atom));
    if (term.atoms.empty()) {
      rest.constant = term.coefficient;
    } else {
      rest.terms.push_back(std::move(term));
    }
  }
  polynomial = std::move(rest);
}

}  // namespace tenon::symbol
