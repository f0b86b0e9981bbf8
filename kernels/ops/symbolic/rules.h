// SPDX-License-Identifier: Apache-2.0
// The rules of operators for symbolic sizes, in five files: new tensors, views, parts along a dim,
// images, and composites.
#pragma once

#include <span>
#include <string_view>

#include "kernels/common/symbolic/symbolic.h"

namespace tenon::kernels {

struct NamedRule {
  std::string_view name;  // of an operator without its namespace
  SymbolicRule rule;
};

// The rule of a functional form in a table; NULL where it has none.
inline SymbolicRule find_rule(std::span<const NamedRule> rules, const Facts& facts, Forms form) {
  if (form != kFunctional) return nullptr;
  for (const NamedRule& named : rules) {
    if (named.name == facts.name) return named.rule;
  }
  return nullptr;
}

// The rule of a view, or of what makes one where it can; NULL for all others.
SymbolicRule symbolic_view_rule(const Facts& facts, Forms form);

// The same of an operator that gives several views, one behind the other.
SymbolicRule symbolic_parts_rule(const Facts& facts, Forms form);

// The same of an operator that works on images.
SymbolicRule symbolic_image_rule(const Facts& facts, Forms form);

// The same of an operator that calls others.
SymbolicRule symbolic_composite_rule(const Facts& facts, Forms form);

// A size as a number: a guard where it is a symbol.
int64_t number_of(SymbolicSize size);

// Ones beside a tensor.
Tensor new_ones(tenon_tensor* beside, const SymbolicDims& sizes, Dtype dtype);

// What no rule is written for gets numbers, by guards.
void run_with_numbers(const Call& call);

// The operators that the routine calls get symbols; numbers where it asks for some itself.
void as_far_as_symbols_go(const Call& call);

// An operator of a tensor and sizes, called with words; `flag` is its third argument.
Tensor call_with_sizes(const char* name, tenon_tensor* self, const SymbolicDims& sizes,
                       std::optional<bool> flag = std::nullopt);

}  // namespace tenon::kernels
