// SPDX-License-Identifier: Apache-2.0
// Evaluation for given values of the variables: values of expressions, and whether guards hold.
#include <algorithm>

#include "base/check.h"
#include "symbol/function.h"
#include "symbol/shape_env.h"
#include "tenon/symbol.h"

namespace tenon::symbol {

namespace {

using Bindings = std::span<const Binding>;

std::optional<int64_t> value_of(Word word, Bindings bindings) noexcept;

std::optional<int64_t> value_of(const Expression& expression, Bindings bindings) noexcept {
  switch (expression.kind) {
    case Kind::kVariable: {
      const auto bound = std::ranges::find(bindings, &expression, &Binding::variable);
      return bound != bindings.end() ? std::optional(bound->number) : std::nullopt;
    }
    case Kind::kPolynomial:
      return evaluate(expression.polynomial,
                      [&](const Expression& atom) { return value_of(atom, bindings); });
    case Kind::kReal:
      return std::nullopt;
    default: {
      const auto a = value_of(expression.operands[0].word, bindings);
      const auto b = value_of(expression.operands[1].word, bindings);
      return a && b ? calculate(expression.function, *a, *b) : std::nullopt;
    }
  }
}

std::optional<int64_t> value_of(Word word, Bindings bindings) noexcept {
  return base::is_symbol(word) ? value_of(*expression_of(word), bindings) : word;
}

std::optional<double> real_value_of(const Operand& operand, Bindings bindings) noexcept {
  if (operand.is_float) return operand.number;
  if (base::is_symbol(operand.word) && expression_of(operand.word)->kind == Kind::kReal) {
    const Expression& real = *expression_of(operand.word);
    const auto a = real_value_of(real.operands[0], bindings);
    const auto b = real_value_of(real.operands[1], bindings);
    return a && b ? std::optional(calculate_real(real.function, *a, *b)) : std::nullopt;
  }
  const auto number = value_of(operand.word, bindings);
  return number ? std::optional(static_cast<double>(*number)) : std::nullopt;
}

std::optional<bool> truth_of(const Expression& relation, Bindings bindings) noexcept {
  if (relation.kind == Kind::kRelation) {
    const auto value = value_of(relation, bindings);
    return value ? std::optional(*value != 0) : std::nullopt;
  }
  const auto a = real_value_of(relation.operands[0], bindings);
  const auto b = real_value_of(relation.operands[1], bindings);
  return a && b ? std::optional(holds(relation.function, *a, *b)) : std::nullopt;
}

}  // namespace

// Needs no lock: it only reads fields that never change after an expression is published.
std::optional<int64_t> ShapeEnv::evaluate(Word word, std::span<const Binding> bindings) {
  return value_of(word, bindings);
}

std::string ShapeEnv::first_failure(std::span<const Binding> bindings) {
  std::lock_guard lock(mutex_);
  for (const Binding& binding : bindings) {
    const Expression& variable = *binding.variable;
    if (variable.range.holds(binding.number)) continue;
    std::string text = variable.name;
    append_range(text, variable.range);
    return text;
  }
  for (const Guard& guard : guards_) {
    const auto truth = truth_of(*guard.relation, bindings);
    TENON_CHECK_ARG(truth, "tenon_shape_env_check: numbers must be given for all symbols of \"",
                    guard_text_locked(guard),
                    "\" and keep it within 63 bits, got a missing number or an overflow");
    if (*truth != guard.truth) return guard_text_locked(guard) + guard.place.text();
  }
  return {};
}

}  // namespace tenon::symbol
