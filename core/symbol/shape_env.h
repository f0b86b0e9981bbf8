// SPDX-License-Identifier: Apache-2.0
// ShapeEnv: owns symbolic numbers, calculates with them, decides what is asked of them, and records
// as guards what it decided by their hints.
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

/// How a relation is decided that nothing decides exactly.
enum class Asking : uint8_t {
  kHints,      // by hints; a relation of unbacked symbols is an error
  kOblivious,  // the same, but unbacked sizes first count as 2 or more
};

/// What a variable is made from.
struct VariableOptions {
  uint16_t tag = TENON_TAG_SYMINT;
  std::string_view name;  // "": s0, s1 and so on, u0 and so on of those without hint
  std::optional<int64_t> hint;
  double real_hint = 0;
  Interval range;
};

/// A variable and the number that stands for it.
struct Binding {
  const Expression* variable;
  int64_t number;
};

class ShapeEnv : public base::SymbolAlgebra {
 public:
  ShapeEnv() = default;

  /// A new variable. Throws TENON_ERROR_INVALID_ARGUMENT for a name that is taken, an empty range
  /// and a hint outside of it.
  const Expression* new_variable(const VariableOptions& options);

  /// The variable of a name; NULL where there is none.
  const Expression* find_variable(std::string_view name);

  /// TENON_SYMBOL_ADD and its like of ints. Throws TENON_ERROR_INVALID_ARGUMENT for a division by
  /// 0 and for numbers beyond int64.
  Word apply(uint32_t function, Word a, Word b);
  /// The relation of two ints as a SymBool's word, or 0 or 1 where it is known without a guard.
  Word relate(uint32_t function, Word a, Word b);
  /// TENON_SYMBOL_AND, OR or NOT (which has one operand) of truths: 0, 1 or SymBools' words.
  Word connect(uint32_t function, Word a, Word b);
  /// Any function of operands of which one is a float at least, or that makes a float.
  Operand apply_real(uint32_t function, const Operand& a, const Operand& b);

  /// Whether a relation of ints holds; records a guard where its hints decide. Throws
  /// TENON_ERROR_DATA_DEPENDENT where there are none.
  bool decide(uint32_t function, Word a, Word b, Asking asking, const Place* place);
  /// The same of a SymBool.
  bool decide(const Expression& truth, const Place* place);
  /// The int that a symbol is from now on.
  int64_t specialize(Word word, const Place* place);
  double specialize_real(const Expression& real, const Place* place);

  /// The value of an expression where numbers stand for its variables, nothing where one lacks or
  /// the result exceeds int64.
  std::optional<int64_t> evaluate(Word word, std::span<const Binding> bindings);
  /// The first guard, or range of a variable, that does not hold for these numbers; "" where all
  /// do. Throws TENON_ERROR_INVALID_ARGUMENT where a variable lacks.
  std::string first_failure(std::span<const Binding> bindings);

  /// Guards that are not implied by others, in order.
  std::vector<Guard> guards();
  std::string guard_text(const Guard& guard);
  /// Variables with hints and ranges, replacements, and guards with places; a line each.
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
  // What a relation of ints comes to: whether a polynomial is 0, above 0, or 0 or more.
  enum class Wanted : uint8_t { kZero, kNotZero, kPositive, kNotNegative };
  struct Question {
    Polynomial difference;
    Wanted wanted;

    bool is_equality() const noexcept {
      return wanted == Wanted::kZero || wanted == Wanted::kNotZero;
    }
  };
  // The same of a polynomial as its facts are kept: whether it lies in an interval.
  struct NormalQuestion {
    Polynomial polynomial;  // without constant
    Interval wanted;
  };

  // What a function of two words gave: a word, 0 or 1 of a relation that is settled.
  struct Known {
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

  Known& known_locked(uint32_t function, Word a, Word b);
  Word apply_locked(uint32_t function, Word a, Word b);
  Word calculate_locked(uint32_t function, Word a, Word b);
  Word floor_divide_locked(Word a, Word b);
  Word modulo_locked(Word a, Word b);
  Word extreme_locked(Kind kind, Word a, Word b);

  Word simplify_locked(Word word);
  Word rebuild_locked(const Expression& expression);

  Interval bounds_locked(Word word, Asking asking) const;
  Interval bounds_locked(const Polynomial& polynomial, Asking asking) const;
  Interval atom_bounds_locked(const Expression& atom, Asking asking) const;

  Question question_locked(uint32_t function, Word a, Word b);
  std::optional<NormalQuestion> normal_locked(Question question, Asking asking) const;
  std::optional<bool> answer_locked(const Question& question, Asking asking) const;
  std::optional<bool> settle_locked(uint32_t function, Word a, Word b, Asking asking);
  bool guard_locked(uint32_t function, Word a, Word b, Place place);
  void learn_locked(uint32_t function, Word a, Word b, bool truth);
  [[noreturn]] void refuse_locked(const Expression& relation, const Place& place) const;
  void solve_locked(const Polynomial& zero);
  void restrict_locked(const Question& question);
  void exclude_locked(const Question& question);
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
  uint32_t replacements_ = 1;  // counts replacements; what is simplified knows at which
  uint32_t facts_ = 1;         // the same of all that is learned
  uint32_t next_backed_ = 0;
  uint32_t next_unbacked_ = 0;
  std::unique_ptr<Known[]> memo_;
};

/// Appends " >= 2, <= 8" and the like; nothing for no bounds.
void append_range(std::string& text, const Interval& range);

using ShapeEnvPtr = base::IntrusivePtr<ShapeEnv>;

/// An environment of its own.
ShapeEnvPtr new_shape_env();

inline ShapeEnv& env_of(const tenon_symbol& symbol) noexcept {
  return *static_cast<ShapeEnv*>(symbol.owner);
}

}  // namespace tenon::symbol

/// The handle in C.
struct tenon_shape_env final : tenon::symbol::ShapeEnv {};
