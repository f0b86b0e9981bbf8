// SPDX-License-Identifier: Apache-2.0
// What layers that keep symbols in a form of their own ask of core/symbol: what symbols are made
// of, and to calculate with them.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/symbol.h"
#include "tenon/value.h"

namespace tenon::base {

/// A variable as it was made.
struct SymbolVariable {
  int64_t word;
  std::string_view name;
  int64_t low = INT64_MIN;   // INT64_MIN: no bound
  int64_t high = INT64_MAX;  // INT64_MAX: no bound
  tenon_value hint{};        // NONE: only data tells
};

/// Rebuilds symbols in another form, in which values stand for them.
class SymbolBuilder {
 public:
  virtual tenon_value variable(const SymbolVariable& variable) = 0;
  /// TENON_SYMBOL_*; functions of one number get 0 as the other.
  virtual tenon_value apply(uint32_t function, const tenon_value& a, const tenon_value& b) = 0;

 protected:
  ~SymbolBuilder() = default;
};

/// A relation that was decided by hints: it holds as it stands here. Operands were rebuilt.
struct SymbolGuard {
  uint32_t function;
  tenon_value a, b;
  std::string op;  // whose kernel asked; "": none
  std::string file;
  int32_t line = 0;
};

/// What every owner of symbols is.
class SymbolAlgebra : public SymbolOwner {
 public:
  /// What a symbol is made of by now.
  virtual tenon_value rebuild(int64_t word, SymbolBuilder& builder) = 0;
  /// The guards that no other one implies, of whose variables `is_known` says so.
  virtual void rebuild_guards(SymbolBuilder& builder,
                              const std::function<bool(int64_t word)>& is_known,
                              const std::function<void(SymbolGuard)>& use) = 0;
  /// See tenon_symbol_apply: of numbers and symbols of this owner. The caller owns the result.
  virtual tenon_value apply_to(uint32_t function, std::span<const tenon_value> args) = 0;
  /// See tenon_symbol_guard: of a BOOL or SYMBOOL.
  virtual bool decide_truth(const tenon_value& truth) = 0;

 protected:
  SymbolAlgebra() noexcept = default;
  ~SymbolAlgebra() override = default;
};

inline SymbolAlgebra& algebra_of(const ::tenon_symbol& symbol) noexcept {
  return static_cast<SymbolAlgebra&>(*symbol.owner);
}

}  // namespace tenon::base
