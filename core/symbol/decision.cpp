// SPDX-License-Identifier: Apache-2.0
// Decides relations, and learns from decisions that used hints.
//
// The first of these steps that applies decides a relation: equal words; a difference that is a
// number; learned facts and interval bounds, after positive common factors were divided out; hints,
// which records a guard. If none applies, some symbol has no hint, and the decision fails.
#include <algorithm>

#include "base/check.h"
#include "symbol/function.h"
#include "symbol/shape_env.h"
#include "tenon/symbol.h"

namespace tenon::symbol {

namespace {

// Negates, saturating so that kNoLow and kNoHigh stay unbounded.
int64_t negative(int64_t number) noexcept { return number == INT64_MIN ? INT64_MAX : -number; }

bool occurs(const Expression& variable, Word word) noexcept;

bool occurs(const Expression& variable, const Expression& in) noexcept {
  if (&in == &variable) return true;
  if (in.number < variable.number) return false;
  if (in.kind == Kind::kPolynomial) {
    for (const Term& term : in.polynomial.terms) {
      for (const Expression* atom : term.atoms) {
        if (occurs(variable, *atom)) return true;
      }
    }
    return false;
  }
  return std::ranges::any_of(in.operands,
                             [&](const Operand& part) { return occurs(variable, part.word); });
}

bool occurs(const Expression& variable, Word word) noexcept {
  return base::is_symbol(word) && occurs(variable, *expression_of(word));
}

// Returns true if a sum can be solved for the variable that is its term `own`.
bool is_solvable(const Polynomial& sum, const Term& own) noexcept {
  if (own.atoms.size() != 1 || own.atoms[0]->kind != Kind::kVariable) return false;
  if (own.coefficient != 1 && own.coefficient != -1) return false;
  for (const Term& term : sum.terms) {
    if (&term == &own) continue;
    for (const Expression* atom : term.atoms) {
      if (occurs(*own.atoms[0], *atom)) return false;
    }
  }
  return true;
}

// Prefers to replace variables without a hint, then newer ones.
bool is_better(const Expression& a, const Expression& b) noexcept {
  if (a.is_backed != b.is_backed) return !a.is_backed;
  return a.number > b.number;
}

}  // namespace

ShapeEnv::RelationQuery ShapeEnv::query_locked(uint32_t function, Word a, Word b) {
  if (function == TENON_SYMBOL_LT || function == TENON_SYMBOL_LE) std::swap(a, b);
  const bool is_strict = function == TENON_SYMBOL_LT || function == TENON_SYMBOL_GT;
  RelationQuery query{{}, is_strict ? SignCondition::kPositive : SignCondition::kNotNegative};
  if (function == TENON_SYMBOL_EQ) query.wanted = SignCondition::kZero;
  if (function == TENON_SYMBOL_NE) query.wanted = SignCondition::kNotZero;
  const Word word = calculate_locked(TENON_SYMBOL_SUB, a, b);
  if (base::is_symbol(word)) {
    query.difference = expression_of(word)->polynomial;
  } else {
    query.difference.constant = word;
  }
  return query;
}

// Normalizes a query. Returns nullopt for an equality that cannot hold.
std::optional<ShapeEnv::NormalizedQuery> ShapeEnv::normal_locked(RelationQuery query,
                                                                 DecisionMode mode) const {
  Polynomial& polynomial = query.difference;
  for (const Expression* atom : common_atoms(polynomial)) {
    if (atom_bounds_locked(*atom, mode).low > 0) remove_atom(polynomial, atom);
  }
  if (query.wanted == SignCondition::kPositive) {
    polynomial.constant = sum_of_bounds(polynomial.constant, -1);
  }
  if (!polynomial.is_number()) {
    const int64_t divisor = content(polynomial);
    if (query.is_equality() && polynomial.constant % divisor != 0) return std::nullopt;
    divide_by(polynomial, divisor);
  }
  NormalizedQuery normal;
  const int64_t constant = std::exchange(polynomial.constant, 0);
  const bool is_negative = !polynomial.is_number() && polynomial.terms[0].coefficient < 0;
  if (is_negative) {
    for (Term& term : polynomial.terms) term.coefficient = -term.coefficient;
  }
  const int64_t edge = is_negative ? constant : negative(constant);
  if (query.is_equality()) {
    normal.wanted = point(edge);
  } else if (is_negative) {
    normal.wanted.high = edge;
  } else {
    normal.wanted.low = edge;
  }
  normal.polynomial = std::move(polynomial);
  return normal;
}

std::optional<bool> ShapeEnv::answer_locked(const RelationQuery& query, DecisionMode mode) const {
  const auto normal = normal_locked(query, mode);
  if (!normal) return false;
  Interval bounds = bounds_locked(normal->polynomial, mode);
  const Interval& wanted = normal->wanted;
  if (const Expression* known = find_locked(normal->polynomial)) {
    bounds = common(bounds, known->facts.bounds);
    if (query.is_equality() && std::ranges::count(known->facts.excluded, wanted.low) != 0) {
      return false;
    }
  }
  if (wanted.low <= bounds.low && bounds.high <= wanted.high) return true;
  if (bounds.high < wanted.low || wanted.high < bounds.low) return false;
  return std::nullopt;
}

// Decides a relation without a guard, if possible, and memoizes the answer. Later facts cannot
// change it, unless it assumes that unbacked sizes are 2 or more; such answers are not memoized.
std::optional<bool> ShapeEnv::try_decide_locked(uint32_t function, Word a, Word b,
                                                DecisionMode mode) {
  MemoEntry& known = memo_entry_locked(function, a, b);
  if (known.is_of(function, a, b, replacements_)) return known.result != 0;
  const Word simpler_a = simplify_locked(a);
  const Word simpler_b = simplify_locked(b);
  if (!base::is_symbol(simpler_a) && !base::is_symbol(simpler_b)) {
    return holds(function, simpler_a, simpler_b);
  }
  const RelationQuery query = query_locked(function, simpler_a, simpler_b);
  const auto truth_of = [&](bool answer) {
    return answer != (query.wanted == SignCondition::kNotZero);
  };
  if (const auto answer = answer_locked(query, DecisionMode::kHints)) {
    known = {function, replacements_, a, b, truth_of(*answer)};
    return truth_of(*answer);
  }
  if (mode == DecisionMode::kHints) return std::nullopt;
  const auto answer = answer_locked(query, mode);
  return answer ? std::optional(truth_of(*answer)) : std::nullopt;
}

bool ShapeEnv::decide(uint32_t function, Word a, Word b, DecisionMode mode,
                      const GuardLocation* place) {
  if (!base::is_symbol(a) && !base::is_symbol(b)) return holds(function, a, b);
  if (a != b) {
    std::lock_guard lock(mutex_);
    if (const auto answer = try_decide_locked(function, a, b, mode)) return *answer;
  } else {
    return holds(function, int64_t{0}, int64_t{0});
  }
  // Taken without the lock, because capturing frames runs code of language bindings.
  GuardLocation here = place != nullptr ? *place : GuardLocation::current();
  std::lock_guard lock(mutex_);
  if (const auto answer = try_decide_locked(function, a, b, mode)) return *answer;
  return guard_locked(function, simplify_locked(a), simplify_locked(b), std::move(here));
}

bool ShapeEnv::guard_locked(uint32_t function, Word a, Word b, GuardLocation place) {
  const Expression* relation =
      function_locked(Kind::kRelation, TENON_TAG_SYMBOOL, function, Operand{a}, Operand{b});
  if (!relation->is_backed) refuse_locked(*relation, place);
  const bool truth = relation->hint != 0;
  guards_.push_back({relation, truth, std::move(place)});
  learn_locked(function, a, b, truth);
  return truth;
}

void ShapeEnv::refuse_locked(const Expression& relation, const GuardLocation& place) const {
  std::string text = place.op.empty() ? "symbol" : place.op;
  text += ": ";
  append_locked(text, relation, false);
  if (!place.argument.empty()) text += base::concat(" (of ", place.argument, ")");
  text += relation.tag == TENON_TAG_SYMBOOL ? " must be true or false for all values"
                                            : " must be a constant";
  text += ", got unbacked (data-dependent) symbols";
  if (!place.file.empty()) text += base::concat(", at ", place.file, ":", place.line);
  text += "; give the symbols bounds (min, max) that decide it, or avoid the branch";
  fail(TENON_ERROR_DATA_DEPENDENT, text);
}

bool ShapeEnv::decide(const Expression& truth, const GuardLocation* place) {
  const Word a = truth.operands.empty() ? 0 : truth.operands[0].word;
  const Word b = truth.operands.empty() ? 0 : truth.operands[1].word;
  if (truth.kind == Kind::kRelation)
    return decide(truth.function, a, b, DecisionMode::kHints, place);
  if (truth.kind == Kind::kConnective) {
    const auto holds_of = [&](Word word) {
      return base::is_symbol(word) ? decide(*expression_of(word), place) : word != 0;
    };
    if (truth.function == TENON_SYMBOL_NOT) return !holds_of(a);
    const bool is_or = truth.function == TENON_SYMBOL_OR;
    return holds_of(a) == is_or ? is_or : holds_of(b);
  }
  GuardLocation here = place != nullptr ? *place : GuardLocation::current();
  std::lock_guard lock(mutex_);
  if (!truth.is_backed) refuse_locked(truth, here);
  const bool holds = truth.hint != 0;
  guards_.push_back({&truth, holds, std::move(here)});
  return holds;
}

int64_t ShapeEnv::specialize(Word word, const GuardLocation* place) {
  if (!base::is_symbol(word)) return word;
  const auto known = [&]() -> std::optional<int64_t> {
    const Word simpler = simplify_locked(word);
    const Interval bounds = bounds_locked(simpler, DecisionMode::kHints);
    if (bounds.low == bounds.high) return bounds.low;
    return std::nullopt;
  };
  {
    std::lock_guard lock(mutex_);
    if (const auto number = known()) return *number;
  }
  GuardLocation here = place != nullptr ? *place : GuardLocation::current();
  std::lock_guard lock(mutex_);
  if (const auto number = known()) return *number;
  const Word simpler = simplify_locked(word);
  const Expression& expression = *expression_of(simpler);
  if (!expression.is_backed) refuse_locked(expression, here);
  TENON_CHECK_ARG(!base::is_symbol(expression.hint),
                  "tenon_symbol_guard: number must be -2^62 or more, got ", expression.hint);
  guard_locked(TENON_SYMBOL_EQ, simpler, expression.hint, std::move(here));
  return expression.hint;
}

double ShapeEnv::specialize_real(const Expression& real, const GuardLocation* place) {
  GuardLocation here = place != nullptr ? *place : GuardLocation::current();
  std::lock_guard lock(mutex_);
  if (!real.is_backed) refuse_locked(real, here);
  const Expression* equality =
      function_locked(Kind::kReal, TENON_TAG_SYMBOOL, TENON_SYMBOL_EQ,
                      Operand{base::word_of(&real)}, Operand{0, real.real_hint, true});
  guards_.push_back({equality, true, std::move(here)});
  return real.real_hint;
}

void ShapeEnv::learn_locked(uint32_t function, Word a, Word b, bool truth) {
  ++facts_;
  const RelationQuery query = query_locked(truth ? function : negated(function), a, b);
  if (query.wanted == SignCondition::kNotZero) return exclude_locked(query);
  restrict_locked(query);
  if (query.wanted != SignCondition::kZero) return;
  auto normal = normal_locked(query, DecisionMode::kHints);
  if (!normal) return;
  normal->polynomial.constant = negative(normal->wanted.low);
  solve_locked(normal->polynomial);
}

void ShapeEnv::restrict_locked(const RelationQuery& query) {
  const auto normal = normal_locked(query, DecisionMode::kHints);
  if (!normal || normal->polynomial.is_number()) return;
  Interval& known = intern_locked(normal->polynomial)->facts.bounds;
  known = common(known, normal->wanted);
}

void ShapeEnv::exclude_locked(const RelationQuery& query) {
  const auto normal = normal_locked(query, DecisionMode::kHints);
  if (!normal || normal->polynomial.is_number()) return;
  PolynomialFacts& facts = intern_locked(normal->polynomial)->facts;
  const int64_t number = normal->wanted.low;
  if (is_bound(number) && facts.bounds.low == number) {
    ++facts.bounds.low;
  } else if (is_bound(number) && facts.bounds.high == number) {
    --facts.bounds.high;
  } else {
    facts.excluded.push_back(number);
  }
}

// Solves a sum that is 0 for one of its variables, and replaces that variable by the solution.
void ShapeEnv::solve_locked(const Polynomial& zero) {
  const Term* best = nullptr;
  for (const Term& term : zero.terms) {
    if (!is_solvable(zero, term)) continue;
    if (best == nullptr || is_better(*term.atoms[0], *best->atoms[0])) best = &term;
  }
  if (best == nullptr) return;
  const Expression& variable = *best->atoms[0];
  const auto rest = add({}, zero, -best->coefficient);
  const auto solution = rest ? add(*rest, variable.polynomial, 1) : std::nullopt;
  if (!solution) return;
  variable.replacement = word_locked(solution, Kind::kSum, 0, 0);
  ++replacements_;
  // The bounds of the variable hold for the solution, too.
  const Interval range = variable.facts.bounds;
  const auto restrict_by = [&](int64_t bound, int64_t sign) {
    Polynomial distance;
    if (!is_bound(bound) || solution->is_number()) return;
    if (auto signed_one = add({}, *solution, sign)) distance = std::move(*signed_one);
    if (__builtin_sub_overflow(distance.constant, sign * bound, &distance.constant)) return;
    restrict_locked({std::move(distance), SignCondition::kNotNegative});
  };
  restrict_by(range.low, 1);
  restrict_by(range.high, -1);
}

}  // namespace tenon::symbol
