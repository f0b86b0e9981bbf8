// SPDX-License-Identifier: Apache-2.0
// Translates symbols into the representation of another layer, such as values of a graph.
#include <algorithm>

#include "symbol/function.h"
#include "symbol/shape_env.h"
#include "symbol/symbolic_value.h"
#include "tenon/symbol.h"

namespace tenon::symbol {

namespace {

using base::SymbolBuilder;

tenon_value rebuilt(const Expression& expression, SymbolBuilder& builder);

tenon_value rebuilt(Word word, SymbolBuilder& builder) {
  if (!base::is_symbol(word)) return tenon_value_of_int(word);
  return rebuilt(*expression_of(word), builder);
}

tenon_value rebuilt(const Operand& operand, SymbolBuilder& builder) {
  if (operand.is_float) return tenon_value_of_float(operand.number);
  return rebuilt(operand.word, builder);
}

tenon_value product(const Term& term, int64_t coefficient, SymbolBuilder& builder) {
  tenon_value product = rebuilt(*term.atoms[0], builder);
  if (coefficient != 1) {
    product = builder.apply(TENON_SYMBOL_MUL, tenon_value_of_int(coefficient), product);
  }
  for (size_t k = 1; k < term.atoms.size(); ++k) {
    product = builder.apply(TENON_SYMBOL_MUL, product, rebuilt(*term.atoms[k], builder));
  }
  return product;
}

tenon_value rebuilt(const Polynomial& polynomial, SymbolBuilder& builder) {
  tenon_value sum{};
  for (const Term& term : polynomial.terms) {
    const bool is_taken_off =
        sum.tag != TENON_TAG_NONE && term.coefficient < 0 && term.coefficient != INT64_MIN;
    const int64_t coefficient = is_taken_off ? -term.coefficient : term.coefficient;
    const tenon_value next = product(term, coefficient, builder);
    const uint32_t function = is_taken_off ? TENON_SYMBOL_SUB : TENON_SYMBOL_ADD;
    sum = sum.tag == TENON_TAG_NONE ? next : builder.apply(function, sum, next);
  }
  const int64_t constant = polynomial.constant;
  if (constant == 0) return sum;
  if (constant > 0 || constant == INT64_MIN) {
    return builder.apply(TENON_SYMBOL_ADD, sum, tenon_value_of_int(constant));
  }
  return builder.apply(TENON_SYMBOL_SUB, sum, tenon_value_of_int(-constant));
}

tenon_value variable(const Expression& its, SymbolBuilder& builder) {
  base::SymbolVariable told{base::word_of(&its), its.name, its.range.low, its.range.high};
  if (its.is_backed && its.tag == TENON_TAG_SYMINT) told.hint = tenon_value_of_int(its.hint);
  return builder.variable(told);
}

tenon_value rebuilt(const Expression& expression, SymbolBuilder& builder) {
  if (expression.kind == Kind::kVariable) return variable(expression, builder);
  if (expression.kind == Kind::kPolynomial) return rebuilt(expression.polynomial, builder);
  const tenon_value a = rebuilt(expression.operands[0], builder);
  const tenon_value b = rebuilt(expression.operands[1], builder);
  return builder.apply(expression.function, a, b);
}

using IsKnown = std::function<bool(int64_t word)>;

bool all_known(Word word, const IsKnown& is_known) {
  if (!base::is_symbol(word)) return true;
  const Expression& expression = *expression_of(word);
  if (expression.kind == Kind::kVariable) return is_known(word);
  if (expression.kind == Kind::kPolynomial) {
    return std::ranges::all_of(expression.polynomial.terms, [&](const Term& term) {
      return std::ranges::all_of(term.atoms, [&](const Expression* atom) {
        return all_known(base::word_of(atom), is_known);
      });
    });
  }
  return std::ranges::all_of(expression.operands, [&](const Operand& operand) {
    return operand.is_float || all_known(operand.word, is_known);
  });
}

}  // namespace

tenon_value ShapeEnv::rebuild(Word word, SymbolBuilder& builder) {
  std::lock_guard lock(mutex_);
  return rebuilt(simplify_locked(word), builder);
}

// Rebuilds guards as recorded, without applying replacements: these follow from the guards, and
// would make the guards that justify them trivial.
void ShapeEnv::rebuild_guards(SymbolBuilder& builder, const IsKnown& is_known,
                              const std::function<void(base::SymbolGuard)>& use) {
  for (const Guard& guard : guards()) {
    const Expression& relation = *guard.relation;
    if (!all_known(base::word_of(&relation), is_known)) continue;
    base::SymbolGuard told{};
    told.function = guard.truth ? relation.function : negated(relation.function);
    told.a = rebuilt(relation.operands[0], builder);
    told.b = rebuilt(relation.operands[1], builder);
    told.op = guard.place.op;
    told.file = guard.place.file;
    told.line = guard.place.line;
    use(std::move(told));
  }
}

tenon_value ShapeEnv::apply_to(uint32_t function, std::span<const tenon_value> args) {
  return symbol::apply(function, args);
}

bool ShapeEnv::decide_truth(const tenon_value& truth) { return concrete(truth, nullptr).as.i != 0; }

}  // namespace tenon::symbol
