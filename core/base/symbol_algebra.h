// SPDX-License-Identifier: Apache-2.0
// The interface of core/symbol for layers that keep symbols in another form: decomposition of
// symbols, and arithmetic with them.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/symbol.h"
#include "tenon/value.h"

namespace tenon::base {

/// A variable, as created.
struct SymbolVariable {
  int64_t word;
  std::string_view name;
  int64_t low = INT64_MIN;   // INT64_MIN: no bound
  int64_t high = INT64_MAX;  // INT64_MAX: no bound
  tenon_value hint{};        // NONE if unbacked (data-dependent)
};

/// Rebuilds symbols in another form, as values.
class SymbolBuilder {
 public:
  virtual tenon_value variable(const SymbolVariable& variable) = 0;
  /// `function` is a TENON_SYMBOL_*; functions of one number get 0 as `b`.
  virtual tenon_value apply(uint32_t function, const tenon_value& a, const tenon_value& b) = 0;

 protected:
  ~SymbolBuilder() = default;
};

/// A relation that was decided by hints, and holds in this form. Its operands have been rebuilt.
struct SymbolGuard {
  uint32_t function;
  tenon_value a, b;
  std::string op;  // operator whose kernel needed the decision, or ""
  std::string file;
  int32_t line = 0;
};

/// Base of all owners of symbols.
class SymbolAlgebra : public SymbolOwner {
 public:
  /// Rebuilds a symbol from its present parts.
  virtual tenon_value rebuild(int64_t word, SymbolBuilder& builder) = 0;
  /// Rebuilds the guards that no other guard implies and whose variables all satisfy `is_known`.
  virtual void rebuild_guards(SymbolBuilder& builder,
                              const std::function<bool(int64_t word)>& is_known,
                              const std::function<void(SymbolGuard)>& use) = 0;
  /// Applies a function to numbers and symbols of this owner; see tenon_symbol_apply. The caller
  /// owns the result.
  virtual tenon_value apply_to(uint32_t function, std::span<const tenon_value> args) = 0;
  /// Decides a BOOL or SYMBOOL; see tenon_symbol_guard.
  virtual bool decide_truth(const tenon_value& truth) = 0;

 protected:
  SymbolAlgebra() noexcept = default;
  ~SymbolAlgebra() override = default;
};

inline SymbolAlgebra& algebra_of(const ::tenon_symbol& symbol) noexcept {
  return static_cast<SymbolAlgebra&>(*symbol.owner);
}

}  // namespace tenon::base
