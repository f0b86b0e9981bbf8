// SPDX-License-Identifier: Apache-2.0
// Texts of expressions, guards and environments, in Python's notation.
#include <algorithm>

#include "symbol/function.h"
#include "symbol/shape_env.h"
#include "tenon/symbol.h"

namespace tenon::symbol {

namespace {

bool is_called(uint32_t function) noexcept {
  return function == TENON_SYMBOL_MAX || function == TENON_SYMBOL_MIN ||
         function == TENON_SYMBOL_SQRT || function == TENON_SYMBOL_FLOAT;
}

bool has_one_operand(uint32_t function) noexcept {
  return function == TENON_SYMBOL_SQRT || function == TENON_SYMBOL_FLOAT;
}

}  // namespace

void append_range(std::string& text, const Interval& range) {
  if (range.low == range.high) {
    base::append(text, base::concat(" == ", range.low));
    return;
  }
  if (range.low != kNoLow) text += base::concat(" >= ", range.low);
  if (range.high != kNoHigh)
    text += base::concat(range.low != kNoLow ? ", <= " : " <= ", range.high);
}

void ShapeEnv::append_text(const ::tenon_symbol& symbol, std::string& text) {
  std::lock_guard lock(mutex_);
  const auto& expression = static_cast<const Expression&>(symbol);
  append_locked(text, simplify_locked(base::word_of(&expression)), false);
}

void ShapeEnv::append_locked(std::string& text, Word word, bool in_product) const {
  if (base::is_symbol(word)) {
    append_locked(text, *expression_of(word), in_product);
  } else {
    base::append(text, word);
  }
}

void ShapeEnv::append_locked(std::string& text, const Operand& operand, bool in_product) const {
  if (operand.is_float) {
    base::append(text, operand.number);
  } else {
    append_locked(text, operand.word, in_product);
  }
}

void ShapeEnv::append_locked(std::string& text, const Expression& expression,
                             bool in_product) const {
  if (expression.kind == Kind::kVariable) {
    text += expression.name;
    return;
  }
  const bool called = expression.kind != Kind::kPolynomial && is_called(expression.function);
  const bool in_brackets = in_product && !called;
  if (in_brackets) text += '(';
  if (expression.kind == Kind::kPolynomial) {
    append_locked(text, expression.polynomial);
  } else if (called) {
    text += function_text(expression.function);
    text += '(';
    append_locked(text, expression.operands[0], false);
    if (!has_one_operand(expression.function)) {
      text += ", ";
      append_locked(text, expression.operands[1], false);
    }
    text += ')';
  } else if (expression.function == TENON_SYMBOL_NOT) {
    text += "not ";
    append_locked(text, expression.operands[0], true);
  } else {
    const bool is_relation_of = expression.kind == Kind::kRelation;
    append_locked(text, expression.operands[0], !is_relation_of);
    text += base::concat(" ", function_text(expression.function), " ");
    append_locked(text, expression.operands[1], !is_relation_of);
  }
  if (in_brackets) text += ')';
}

void ShapeEnv::append_locked(std::string& text, const Polynomial& polynomial) const {
  bool first = true;
  const auto begin = [&](int64_t number) {
    if (first) {
      text += number < 0 ? "-" : "";
    } else {
      text += number < 0 ? " - " : " + ";
    }
    first = false;
    return number < 0 ? -static_cast<uint64_t>(number) : static_cast<uint64_t>(number);
  };
  for (const Term& term : polynomial.terms) {
    const uint64_t coefficient = begin(term.coefficient);
    if (coefficient != 1) text += base::concat(coefficient, '*');
    const bool in_product = term.coefficient != 1 || term.atoms.size() != 1;
    for (size_t k = 0; k < term.atoms.size(); ++k) {
      if (k != 0) text += '*';
      append_locked(text, *term.atoms[k], in_product);
    }
  }
  if (polynomial.constant != 0) base::append(text, begin(polynomial.constant));
}

std::string ShapeEnv::guard_text(const Guard& guard) {
  std::lock_guard lock(mutex_);
  return guard_text_locked(guard);
}

std::string ShapeEnv::guard_text_locked(const Guard& guard) const {
  const Expression& relation = *guard.relation;
  std::string text;
  const uint32_t function = guard.truth ? relation.function : negated(relation.function);
  append_locked(text, relation.operands[0], false);
  text += base::concat(" ", function_text(function), " ");
  append_locked(text, relation.operands[1], false);
  return text;
}

// Returns true if the facts about a guard's polynomial are stricter than the guard.
bool ShapeEnv::is_implied_locked(const Guard& guard) {
  const Expression& relation = *guard.relation;
  if (relation.kind != Kind::kRelation) return false;
  const auto& operands = relation.operands;
  const RelationQuery query =
      query_locked(guard.truth ? relation.function : negated(relation.function), operands[0].word,
                   operands[1].word);
  const auto normal = normal_locked(query, DecisionMode::kHints);
  const Expression* known = normal ? find_locked(normal->polynomial) : nullptr;
  if (known == nullptr) return false;
  const Interval& bounds = known->facts.bounds;
  if (query.is_equality()) {
    return query.wanted == SignCondition::kNotZero && !bounds.holds(normal->wanted.low);
  }
  if (is_bound(normal->wanted.low)) return bounds.low > normal->wanted.low;
  return bounds.high < normal->wanted.high;
}

std::vector<Guard> ShapeEnv::guards() {
  std::lock_guard lock(mutex_);
  std::vector<Guard> kept;
  for (const Guard& guard : guards_) {
    if (!is_implied_locked(guard)) kept.push_back(guard);
  }
  return kept;
}

std::string ShapeEnv::print() {
  const std::vector<Guard> needed = guards();
  std::lock_guard lock(mutex_);
  std::string text;
  for (const Expression* variable : variables_) {
    text += variable->name;
    if (variable->tag != TENON_TAG_SYMINT) {
      text += variable->is_backed ? ": backed" : ": unbacked";
    } else if (variable->is_backed) {
      text += base::concat(": hint ", variable->hint);
    } else {
      text += ": unbacked";
    }
    if (variable->facts.bounds != Interval{}) text += ",";
    append_range(text, variable->facts.bounds);
    if (variable->replacement) {
      text += ", replaced by ";
      append_locked(text, simplify_locked(base::word_of(variable)), false);
    }
    text += '\n';
  }
  for (const Guard& guard : needed) {
    text += base::concat("guard: ", guard_text_locked(guard), guard.place.text(), "\n");
  }
  return text;
}

}  // namespace tenon::symbol
