// SPDX-License-Identifier: Apache-2.0
// Arithmetic of ints: normal forms of sums, products and quotients, and substitution of replaced
// symbols.
#include <algorithm>

#include "base/check.h"
#include "symbol/function.h"
#include "symbol/shape_env.h"
#include "tenon/symbol.h"

namespace tenon::symbol {

namespace {

constexpr size_t kMemoSize = 256;

Polynomial polynomial_of(Word word) {
  if (base::is_symbol(word)) return expression_of(word)->polynomial;
  return {{}, word};
}

// Splits `whole` for a floor division: removes the terms that `divisor` divides and the divisible
// part of the constant, and returns these divided by `divisor`.
Polynomial take_quotient(Polynomial& whole, int64_t divisor) {
  TENON_DCHECK(divisor != 0);
  Polynomial quotient, rest;
  for (Term& term : whole.terms) {
    const bool divides = term.coefficient % divisor == 0;
    if (divides) term.coefficient /= divisor;
    (divides ? quotient : rest).terms.push_back(std::move(term));
  }
  quotient.constant = floor_quotient(whole.constant, divisor);
  rest.constant = whole.constant - quotient.constant * divisor;
  whole = std::move(rest);
  return quotient;
}

}  // namespace

Word ShapeEnv::apply(uint32_t function, Word a, Word b) {
  std::lock_guard lock(mutex_);
  return apply_locked(function, a, b);
}

// Returns the memo entry for a function and its operands. The entry may hold another result, see
// MemoEntry::is_of(), which the caller then overwrites.
ShapeEnv::MemoEntry& ShapeEnv::memo_entry_locked(uint32_t function, Word a, Word b) {
  if (memo_ == nullptr) memo_ = std::make_unique<MemoEntry[]>(kMemoSize);
  const uint64_t words = static_cast<uint64_t>(a) * 31 + static_cast<uint64_t>(b);
  const uint64_t mixed = (words * 31 + function) * 0x9E3779B97F4A7C15;
  return memo_[mixed >> 32 & (kMemoSize - 1)];
}

Word ShapeEnv::apply_locked(uint32_t function, Word a, Word b) {
  MemoEntry& known = memo_entry_locked(function, a, b);
  if (known.is_of(function, a, b, replacements_)) return known.result;
  const Word result = calculate_locked(function, simplify_locked(a), simplify_locked(b));
  known = {function, replacements_, a, b, result};
  return result;
}

Word ShapeEnv::calculate_locked(uint32_t function, Word a, Word b) {
  if (!base::is_symbol(a) && !base::is_symbol(b)) {
    const auto result = calculate(function, a, b);
    TENON_CHECK_ARG(result && !base::is_symbol(*result), "tenon_symbol_apply: ", a, " ",
                    function_text(function), " ", b, " must fit in 63 bits, got an overflow");
    return *result;
  }
  switch (function) {
    case TENON_SYMBOL_ADD:
      return word_locked(add(polynomial_of(a), polynomial_of(b), 1), Kind::kSum, a, b);
    case TENON_SYMBOL_SUB:
      if (auto sum = add(polynomial_of(a), polynomial_of(b), -1)) {
        return word_locked(std::move(sum), Kind::kSum, a, b);
      }
      return calculate_locked(TENON_SYMBOL_ADD, a, calculate_locked(TENON_SYMBOL_MUL, b, -1));
    case TENON_SYMBOL_MUL:
      return word_locked(multiply(polynomial_of(a), polynomial_of(b)), Kind::kProduct, a, b);
    case TENON_SYMBOL_FLOORDIV:
      return floor_divide_locked(a, b);
    case TENON_SYMBOL_MOD:
      return modulo_locked(a, b);
    default:
      return extreme_locked(function == TENON_SYMBOL_MAX ? Kind::kMax : Kind::kMin, a, b);
  }
}

Word ShapeEnv::floor_divide_locked(Word a, Word b) {
  TENON_CHECK_ARG(b != 0, "tenon_symbol_apply: divisor must not be 0");
  Polynomial whole = polynomial_of(a);
  const Polynomial divisor = polynomial_of(b);
  if (auto quotient = divide_exactly(whole, divisor)) {
    return word_locked(std::move(quotient), Kind::kFloorDivide, a, b);
  }
  const Interval of_a = bounds_locked(a, DecisionMode::kHints);
  const Interval of_b = bounds_locked(b, DecisionMode::kHints);
  if (of_a.low >= 0 && of_a.high < of_b.low) return 0;  // a lesser dividend, neither negative
  if (!divisor.is_number()) return atom_locked(Kind::kFloorDivide, a, b);
  const Polynomial quotient = take_quotient(whole, divisor.constant);
  const Word rest = word_locked(std::move(whole), Kind::kSum, a, 0);
  if (!base::is_symbol(rest)) return word_locked(quotient, Kind::kSum, a, 0);
  const Word of_rest = atom_locked(Kind::kFloorDivide, rest, b);
  return calculate_locked(TENON_SYMBOL_ADD, word_locked(quotient, Kind::kSum, a, 0), of_rest);
}

Word ShapeEnv::modulo_locked(Word a, Word b) {
  TENON_CHECK_ARG(b != 0, "tenon_symbol_apply: divisor must not be 0");
  Polynomial whole = polynomial_of(a);
  const Polynomial divisor = polynomial_of(b);
  if (divide_exactly(whole, divisor)) return 0;
  const Interval of_a = bounds_locked(a, DecisionMode::kHints);
  const Interval of_b = bounds_locked(b, DecisionMode::kHints);
  if (of_a.low >= 0 && of_a.high < of_b.low) return a;  // a lesser dividend, neither negative
  if (!divisor.is_number()) return atom_locked(Kind::kModulo, a, b);
  take_quotient(whole, divisor.constant);
  const Word rest = word_locked(std::move(whole), Kind::kSum, a, 0);
  return base::is_symbol(rest) ? atom_locked(Kind::kModulo, rest, b) : rest;
}

Word ShapeEnv::extreme_locked(Kind kind, Word a, Word b) {
  if (a == b) return a;
  if (const auto less = try_decide_locked(TENON_SYMBOL_LE, a, b, DecisionMode::kHints)) {
    return *less == (kind == Kind::kMax) ? b : a;
  }
  if (const auto less = try_decide_locked(TENON_SYMBOL_GE, a, b, DecisionMode::kHints);
      less && *less) {
    return kind == Kind::kMax ? a : b;
  }
  // Order the operands: symbols by creation, then numbers. This order is the same in every run.
  const auto place = [](Word word) {
    return base::is_symbol(word) ? expression_of(word)->number : UINT32_MAX;
  };
  if (place(b) < place(a)) std::swap(a, b);
  return atom_locked(kind, a, b);
}

int64_t ShapeEnv::simplify(int64_t word) {
  std::lock_guard lock(mutex_);
  return simplify_locked(word);
}

Word ShapeEnv::simplify_locked(Word word) {
  if (replacements_ == 1 || !base::is_symbol(word)) return word;
  const Expression& expression = *expression_of(word);
  if (expression.tag != TENON_TAG_SYMINT) return word;
  if (expression.simplified_at != replacements_) {
    expression.simpler = rebuild_locked(expression);
    expression.simplified_at = replacements_;
  }
  return expression.simpler;
}

// Applies replacements of variables to an expression. Functions are applied again to their
// simplified operands, so that equal expressions keep one normal form.
Word ShapeEnv::rebuild_locked(const Expression& expression) {
  if (expression.kind == Kind::kVariable) {
    return expression.replacement ? simplify_locked(*expression.replacement)
                                  : base::word_of(&expression);
  }
  if (expression.kind != Kind::kPolynomial) {
    return calculate_locked(expression.function, simplify_locked(expression.operands[0].word),
                            simplify_locked(expression.operands[1].word));
  }
  Word sum = expression.polynomial.constant;
  for (const Term& term : expression.polynomial.terms) {
    Word product = term.coefficient;
    for (const Expression* atom : term.atoms) {
      product = calculate_locked(TENON_SYMBOL_MUL, product, simplify_locked(base::word_of(atom)));
    }
    sum = calculate_locked(TENON_SYMBOL_ADD, sum, product);
  }
  return sum;
}

}  // namespace tenon::symbol
