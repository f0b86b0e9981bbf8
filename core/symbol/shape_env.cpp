// SPDX-License-Identifier: Apache-2.0
// Construction and interning of expressions.
#include "symbol/shape_env.h"

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "symbol/function.h"
#include "tenon/symbol.h"

namespace tenon::symbol {

namespace {

constexpr const char* kNew = "tenon_symbol_new";

uint64_t hash_of(Kind kind, uint32_t function, const std::vector<Operand>& operands) noexcept {
  constexpr uint64_t kPrime = 0x9E3779B97F4A7C15;
  uint64_t hash = (static_cast<uint64_t>(kind) << 32 | function) * kPrime + kPrime;
  for (const Operand& operand : operands) {
    const uint64_t word = operand.is_float ? std::bit_cast<uint64_t>(operand.number)
                                           : static_cast<uint64_t>(operand.word);
    hash = (hash ^ word ^ hash >> 29) * kPrime;
  }
  return hash;
}

// Returns the hint of an int operand, or nothing.
std::optional<int64_t> hint_of(Word word) noexcept {
  if (!base::is_symbol(word)) return word;
  const Expression& expression = *expression_of(word);
  if (!expression.is_backed) return std::nullopt;
  return expression.hint;
}

std::optional<double> real_hint_of(const Operand& operand) noexcept {
  if (operand.is_float) return operand.number;
  if (base::is_symbol(operand.word) && expression_of(operand.word)->tag == TENON_TAG_SYMFLOAT) {
    const Expression& real = *expression_of(operand.word);
    return real.is_backed ? std::optional(real.real_hint) : std::nullopt;
  }
  const auto hint = hint_of(operand.word);
  return hint ? std::optional(static_cast<double>(*hint)) : std::nullopt;
}

uint32_t function_of(Kind kind) noexcept {
  switch (kind) {
    case Kind::kFloorDivide:
      return TENON_SYMBOL_FLOORDIV;
    case Kind::kModulo:
      return TENON_SYMBOL_MOD;
    case Kind::kMax:
      return TENON_SYMBOL_MAX;
    case Kind::kMin:
      return TENON_SYMBOL_MIN;
    case Kind::kSum:
      return TENON_SYMBOL_ADD;
    default:
      TENON_DCHECK(kind == Kind::kProduct);
      return TENON_SYMBOL_MUL;
  }
}

void set_hint(Expression& made) noexcept {
  if (made.kind == Kind::kPolynomial) {
    const auto value = evaluate(made.polynomial, [](const Expression& atom) {
      return atom.is_backed ? std::optional(atom.hint) : std::nullopt;
    });
    made.is_backed = value.has_value();
    made.hint = value.value_or(0);
  } else if (made.kind == Kind::kReal) {
    const auto a = real_hint_of(made.operands[0]);
    const auto b = real_hint_of(made.operands[1]);
    made.is_backed = a && b;
    if (!made.is_backed) return;
    if (made.tag == TENON_TAG_SYMBOOL) {
      made.hint = holds(made.function, *a, *b);
    } else {
      made.real_hint = calculate_real(made.function, *a, *b);
    }
  } else {
    const auto a = hint_of(made.operands[0].word);
    const auto b = hint_of(made.operands[1].word);
    const auto value = a && b ? calculate(made.function, *a, *b) : std::nullopt;
    made.is_backed = value.has_value();
    made.hint = value.value_or(0);
  }
}

}  // namespace

Expression& ShapeEnv::make_locked(uint16_t tag, Kind kind) {
  TENON_CHECK(expressions_.size() < UINT32_MAX, TENON_ERROR_STATE,
              "tenon_symbol_apply: expressions must be fewer than 2^32 in one environment");
  expressions_.push_back(
      std::make_unique<Expression>(this, tag, kind, static_cast<uint32_t>(expressions_.size())));
  return *expressions_.back();
}

const Expression* ShapeEnv::new_variable(const VariableOptions& options) {
  TENON_CHECK_ARG(options.range.low <= options.range.high, kNew, ": min must not exceed max, got ",
                  options.range.low, " and ", options.range.high);
  TENON_CHECK_ARG(!options.hint || options.range.holds(*options.hint), kNew,
                  ": hint must be between min and max, got ", options.hint.value_or(0));
  if (options.tag == TENON_TAG_SYMINT) {
    TENON_CHECK_ARG(!options.hint || *options.hint >= base::kLeastNumber, kNew,
                    ": hint must be -2^62 or more, got ", options.hint.value_or(0));
    TENON_CHECK_ARG(options.range.high >= base::kLeastNumber, kNew,
                    ": max must be -2^62 or more, got ", options.range.high);
  }
  std::lock_guard lock(mutex_);
  std::string name(options.name);
  const bool is_backed = options.hint.has_value();
  const auto is_taken = [this](const std::string& text) {
    return std::ranges::any_of(variables_, [&](const auto* known) { return known->name == text; });
  };
  if (name.empty()) {
    do {
      name = is_backed ? base::concat('s', next_backed_++) : base::concat('u', next_unbacked_++);
    } while (is_taken(name));
  } else {
    TENON_CHECK_ARG(!is_taken(name), kNew, ": name must be new, got \"", name,
                    "\", which exists already");
  }
  variables_.reserve(variables_.size() + 1);
  Expression& made = make_locked(options.tag, Kind::kVariable);
  made.name = std::move(name);
  made.is_backed = is_backed;
  made.hint = options.hint.value_or(0);
  made.real_hint = options.real_hint;
  made.range = made.facts.bounds = options.range;
  variables_.push_back(&made);
  if (made.tag == TENON_TAG_SYMINT) {
    made.polynomial.terms = {{1, {&made}}};
    by_hash_.emplace(made.polynomial.hash(), &made);
  }
  return &made;
}

const Expression* ShapeEnv::find_variable(std::string_view name) {
  std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(variables_, name, &Expression::name);
  return found != variables_.end() ? *found : nullptr;
}

const Expression* ShapeEnv::find_locked(const Polynomial& polynomial) const {
  const auto [first, last] = by_hash_.equal_range(polynomial.hash());
  for (auto at = first; at != last; ++at) {
    if (at->second->polynomial == polynomial) return at->second;
  }
  return nullptr;
}

const Expression* ShapeEnv::intern_locked(Polynomial polynomial) {
  TENON_DCHECK(!polynomial.is_number());
  if (const Expression* known = find_locked(polynomial)) return known;
  Expression& made = make_locked(TENON_TAG_SYMINT, Kind::kPolynomial);
  for (const Term& term : polynomial.terms) {
    for (const Expression* atom : term.atoms) made.depth = std::max(made.depth, atom->depth);
  }
  made.polynomial = std::move(polynomial);
  set_hint(made);
  by_hash_.emplace(made.polynomial.hash(), &made);
  return &made;
}

const Expression* ShapeEnv::function_locked(Kind kind, uint16_t tag, uint32_t function,
                                            const Operand& a, const Operand& b) {
  std::vector<Operand> operands{a, b};
  const uint64_t hash = hash_of(kind, function, operands);
  const auto [first, last] = by_hash_.equal_range(hash);
  for (auto at = first; at != last; ++at) {
    const Expression& known = *at->second;
    if (known.kind == kind && known.function == function && known.operands == operands) {
      return &known;
    }
  }
  uint32_t depth = 0;
  for (const Operand& operand : operands) {
    if (operand.is_float || !base::is_symbol(operand.word)) continue;
    depth = std::max(depth, expression_of(operand.word)->depth + 1);
  }
  TENON_CHECK(depth <= kMaxDepth, TENON_ERROR_RECURSION,
              "tenon_symbol_apply: functions must nest at most ", kMaxDepth, " deep, got more");
  Expression& made = make_locked(tag, kind);
  made.depth = depth;
  made.function = function;
  made.operands = std::move(operands);
  set_hint(made);
  by_hash_.emplace(hash, &made);
  if (made.is_atom()) {
    made.polynomial.terms = {{1, {&made}}};
    by_hash_.emplace(made.polynomial.hash(), &made);
  }
  return &made;
}

Word ShapeEnv::atom_locked(Kind kind, Word a, Word b) {
  return base::word_of(
      function_locked(kind, TENON_TAG_SYMINT, function_of(kind), Operand{a}, Operand{b}));
}

Word ShapeEnv::word_locked(std::optional<Polynomial> polynomial, Kind too_large, Word a, Word b) {
  if (!polynomial) return atom_locked(too_large, a, b);
  if (!polynomial->is_number()) return base::word_of(intern_locked(std::move(*polynomial)));
  TENON_CHECK_ARG(!base::is_symbol(polynomial->constant),
                  "tenon_symbol_apply: number must be -2^62 or more, got ", polynomial->constant);
  return polynomial->constant;
}

Word ShapeEnv::relate(uint32_t function, Word a, Word b) {
  std::lock_guard lock(mutex_);
  if (const auto answer = try_decide_locked(function, a, b, DecisionMode::kHints)) return *answer;
  return base::word_of(
      function_locked(Kind::kRelation, TENON_TAG_SYMBOOL, function, Operand{a}, Operand{b}));
}

Word ShapeEnv::connect(uint32_t function, Word a, Word b) {
  TENON_DCHECK(function == TENON_SYMBOL_NOT || function == TENON_SYMBOL_AND ||
               function == TENON_SYMBOL_OR);
  const bool is_not = function == TENON_SYMBOL_NOT;
  const Word decisive = function == TENON_SYMBOL_OR ? 1 : 0;
  if (!is_not) {
    if (a == decisive || b == decisive) return decisive;
    if (!base::is_symbol(a)) return b;
    if (!base::is_symbol(b)) return a;
  } else if (!base::is_symbol(a)) {
    return a == 0;
  }
  std::lock_guard lock(mutex_);
  return base::word_of(function_locked(Kind::kConnective, TENON_TAG_SYMBOOL, function, Operand{a},
                                       Operand{is_not ? 0 : b}));
}

Operand ShapeEnv::apply_real(uint32_t function, const Operand& a, const Operand& b) {
  std::lock_guard lock(mutex_);
  const uint16_t tag = is_relation(function) ? TENON_TAG_SYMBOOL : TENON_TAG_SYMFLOAT;
  return {base::word_of(function_locked(Kind::kReal, tag, function, a, b))};
}

ShapeEnvPtr new_shape_env() { return ShapeEnvPtr::adopt(new tenon_shape_env); }

}  // namespace tenon::symbol
