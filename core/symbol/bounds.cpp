// SPDX-License-Identifier: Apache-2.0
// Interval bounds of expressions, from the bounds of their operands and from learned facts.
#include "symbol/shape_env.h"

namespace tenon::symbol {

Interval ShapeEnv::bounds(Word word) {
  std::lock_guard lock(mutex_);
  return bounds_locked(simplify_locked(word), DecisionMode::kHints);
}

Interval ShapeEnv::bounds_locked(Word word, DecisionMode mode) const {
  if (!base::is_symbol(word)) return point(word);
  return bounds_locked(expression_of(word)->polynomial, mode);
}

Interval ShapeEnv::bounds_locked(const Polynomial& polynomial, DecisionMode mode) const {
  Interval sum = point(polynomial.constant);
  for (const Term& term : polynomial.terms) {
    Interval product = point(term.coefficient);
    for (const Expression* atom : term.atoms) product = product * atom_bounds_locked(*atom, mode);
    sum = sum + product;
  }
  return sum;
}

Interval ShapeEnv::atom_bounds_locked(const Expression& atom, DecisionMode mode) const {
  const auto which = static_cast<size_t>(mode);
  if (atom.bounds_at[which] == facts_) return atom.bounds[which];
  Interval found = atom.facts.bounds;
  const auto of_operand = [&](size_t k) { return bounds_locked(atom.operands[k].word, mode); };
  if (atom.kind == Kind::kVariable) {
    const bool is_size = !atom.is_backed && atom.range.low >= 0;
    if (mode == DecisionMode::kOblivious && is_size && found.high >= 2) {
      found.low = std::max<int64_t>(found.low, 2);
    }
  } else {
    const Interval a = of_operand(0), b = of_operand(1);
    Interval computed;
    if (atom.kind == Kind::kFloorDivide) {
      if (b.low > 0) computed = floor_quotient(a, b);
    } else if (atom.kind == Kind::kModulo) {
      if (b.low > 0) computed = {0, a.low >= 0 ? std::min(a.high, b.high - 1) : b.high - 1};
    } else if (atom.kind == Kind::kMax) {
      computed = {std::max(a.low, b.low), std::max(a.high, b.high)};
    } else if (atom.kind == Kind::kMin) {
      computed = {std::min(a.low, b.low), std::min(a.high, b.high)};
    } else {
      computed = atom.kind == Kind::kSum ? a + b : a * b;
    }
    found = common(found, computed);
  }
  atom.bounds[which] = found;
  atom.bounds_at[which] = facts_;
  return found;
}

}  // namespace tenon::symbol
