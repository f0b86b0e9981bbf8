// SPDX-License-Identifier: Apache-2.0
// ShapeEnv: owns symbolic numbers, computes with them and decides relations between them. Records a
// guard for each decision that used hints.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/intrusive_ptr.h"
#include "base/symbol_algebra.h"
#include "symbol/expression.h"
#include "symbol/guard.h"
#include "tenon/value.h"

namespace tenon::symbol {

/// How to decide a relation that cannot be proved or disproved.
enum class DecisionMode : uint8_t {
  kHints,      // by hints; fails for a relation of unbacked symbols
  kOblivious,  // like kHints, but first assumes that unbacked sizes are 2 or more
};

/// The properties of a new variable.
struct VariableOptions {
  uint16_t tag = TENON_TAG_SYMINT;
  std::string_view name;  // "": s0, s1, ... with a hint, u0, u1, ... without
  std::optional<int64_t> hint;
  double real_hint = 0;
  Interval range;
};

/// A variable and its value.
struct Binding {
  const Expression* variable;
  int64_t number;
};

class ShapeEnv : public base::SymbolAlgebra {
 public:
  ShapeEnv() = default;

  /// Returns a new variable. Throws TENON_ERROR_INVALID_ARGUMENT for a name that exists already, an
  /// empty range, and a hint outside the range.
  const Expression* new_variable(const VariableOptions& options);

  /// Returns the variable with a name, or NULL.
  const Expression* find_variable(std::string_view name);

  /// Applies TENON_SYMBOL_ADD and the like to ints. Throws TENON_ERROR_INVALID_ARGUMENT for a
  /// division by 0 and for numbers beyond int64.
  Word apply(uint32_t function, Word a, Word b);
  /// Returns the relation of two ints as a SymBool's word, or 0 or 1 if it is decided without a
  /// guard.
  Word relate(uint32_t function, Word a, Word b);
  /// Applies TENON_SYMBOL_AND, OR or (to one operand) NOT to truth values: 0, 1 or words of
  /// SymBools.
  Word connect(uint32_t function, Word a, Word b);
  /// Applies any function that has a float operand or a float result.
  Operand apply_real(uint32_t function, const Operand& a, const Operand& b);

  /// Returns true if a relation of ints holds. Records a guard if the hints decide it. Throws
  /// TENON_ERROR_DATA_DEPENDENT if there are no hints.
  bool decide(uint32_t function, Word a, Word b, DecisionMode mode, const GuardLocation* place);
  /// Like decide() above, for a SymBool.
  bool decide(const Expression& truth, const GuardLocation* place);
  /// Returns the int that a symbol is fixed to, by a guard if necessary.
  int64_t specialize(Word word, const GuardLocation* place);
  double specialize_real(const Expression& real, const GuardLocation* place);

  /// Returns the value of an expression for given values of its variables; nothing if one is
  /// missing or the result exceeds int64.
  std::optional<int64_t> evaluate(Word word, std::span<const Binding> bindings);
  /// Returns the first variable range or guard that does not hold for the given values, or "" if
  /// all hold. Throws TENON_ERROR_INVALID_ARGUMENT if the value of a variable is missing.
  std::string first_failure(std::span<const Binding> bindings);

  /// Returns the guards that are not implied by others, in order.
  std::vector<Guard> guards();
  std::string guard_text(const Guard& guard);
  /// Returns the variables with hints and ranges, the replacements, and the guards with locations,
  /// one per line.
  std::string print();
  Interval bounds(Word word);

  void append_text(const ::tenon_symbol& symbol, std::string& text) override;
  int64_t simplify(int64_t word) override;
  tenon_value rebuild(int64_t word, base::SymbolBuilder& builder) override;
  void rebuild_guards(base::SymbolBuilder& builder,
                      const std::function<bool(int64_t word)>& is_known,
                      const std::function<void(base::SymbolGuard)>& use) override;
  tenon_value apply_to(uint32_t function, std::span<const tenon_value> args) override;
  bool decide_truth(const tenon_value& truth) override;

 protected:
  ~ShapeEnv() override = default;

 private:
  // The condition on the difference of two ints to which a relation between them is reduced.
  enum class SignCondition : uint8_t { kZero, kNotZero, kPositive, kNotNegative };
  struct RelationQuery {
    Polynomial difference;
    SignCondition wanted;

    bool is_equality() const noexcept {
      return wanted == SignCondition::kZero || wanted == SignCondition::kNotZero;
    }
  };
  // A RelationQuery normalized like PolynomialFacts: whether a polynomial is in an interval.
  struct NormalizedQuery {
    Polynomial polynomial;  // without constant
    Interval wanted;
  };

  // A memoized result of a function of two words: a word, or 0 or 1 for a settled relation.
  struct MemoEntry {
    uint32_t function = 0;
    uint32_t simplified_at = 0;
    Word a = 0, b = 0, result = 0;

    bool is_of(uint32_t its_function, Word its_a, Word its_b, uint32_t replacements) const {
      return simplified_at == replacements && function == its_function && a == its_a && b == its_b;
    }
  };

  Expression& make_locked(uint16_t tag, Kind kind);
  const Expression* find_locked(const Polynomial& polynomial) const;
  const Expression* intern_locked(Polynomial polynomial);
  const Expression* function_locked(Kind kind, uint16_t tag, uint32_t function, const Operand& a,
                                    const Operand& b);
  Word atom_locked(Kind kind, Word a, Word b);
  Word word_locked(std::optional<Polynomial> polynomial, Kind too_large, Word a, Word b);

  MemoEntry& memo_entry_locked(uint32_t function, Word a, Word b);
  Word apply_locked(uint32_t function, Word a, Word b);
  Word calculate_locked(uint32_t function, Word a, Word b);
  Word floor_divide_locked(Word a, Word b);
  Word modulo_locked(Word a, Word b);
  Word extreme_locked(Kind kind, Word a, Word b);

  Word simplify_locked(Word word);
  Word rebuild_locked(const Expression& expression);

  Interval bounds_locked(Word word, DecisionMode mode) const;
  Interval bounds_locked(const Polynomial& polynomial, DecisionMode mode) const;
  Interval atom_bounds_locked(const Expression& atom, DecisionMode mode) const;

  RelationQuery query_locked(uint32_t function, Word a, Word b);
  std::optional<NormalizedQuery> normal_locked(RelationQuery query, DecisionMode mode) const;
  std::optional<bool> answer_locked(const RelationQuery& query, DecisionMode mode) const;
  std::optional<bool> try_decide_locked(uint32_t function, Word a, Word b, DecisionMode mode);
  bool guard_locked(uint32_t function, Word a, Word b, GuardLocation place);
  void learn_locked(uint32_t function, Word a, Word b, bool truth);
  [[noreturn]] void refuse_locked(const Expression& relation, const GuardLocation& place) const;
  void solve_locked(const Polynomial& zero);
  void restrict_locked(const RelationQuery& query);
  void exclude_locked(const RelationQuery& query);
  bool is_implied_locked(const Guard& guard);

  void append_locked(std::string& text, Word word, bool in_product) const;
  void append_locked(std::string& text, const Operand& operand, bool in_product) const;
  void append_locked(std::string& text, const Expression& expression, bool in_product) const;
  void append_locked(std::string& text, const Polynomial& polynomial) const;
  std::string guard_text_locked(const Guard& guard) const;

  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Expression>> expressions_;
  std::unordered_multimap<uint64_t, const Expression*> by_hash_;
  std::vector<const Expression*> variables_;
  std::vector<Guard> guards_;
  uint32_t replacements_ = 1;  // 1 + number of replacements; simplified words are valid for one
  uint32_t facts_ = 1;         // 1 + number of learned facts; cached bounds are valid for one
  uint32_t next_backed_ = 0;
  uint32_t next_unbacked_ = 0;
  std::unique_ptr<MemoEntry[]> memo_;
};

/// Appends " >= 2, <= 8" and the like; nothing without bounds.
void append_range(std::string& text, const Interval& range);

using ShapeEnvPtr = base::IntrusivePtr<ShapeEnv>;

/// Returns a new environment.
ShapeEnvPtr new_shape_env();

inline ShapeEnv& env_of(const tenon_symbol& symbol) noexcept {
  return *static_cast<ShapeEnv*>(symbol.owner);
}

}  // namespace tenon::symbol

/// The handle in the C API.
struct tenon_shape_env final : tenon::symbol::ShapeEnv {};
