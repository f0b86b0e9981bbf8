// SPDX-License-Identifier: Apache-2.0
// The symbolic rules of operators, in five files: new tensors, views, parts along a dim, images,
// and composites.
#pragma once

#include <span>
#include <string_view>

#include "kernels/common/symbolic/symbolic.h"

namespace tenon::kernels {

struct NamedRule {
  std::string_view name;  // operator name without its namespace
  SymbolicRule rule;
};

// Returns the rule of a functional form in a table; NULL if there is none.
inline SymbolicRule find_rule(std::span<const NamedRule> rules, const Facts& facts, Forms form) {
  if (form != kFunctional) return nullptr;
  for (const NamedRule& named : rules) {
    if (named.name == facts.name) return named.rule;
  }
  return nullptr;
}

// Returns the rule of a view, or of an operator that makes one if possible; NULL for all others.
SymbolicRule symbolic_view_rule(const Facts& facts, Forms form);

// Likewise for an operator that returns several views, one after another.
SymbolicRule symbolic_parts_rule(const Facts& facts, Forms form);

// Likewise for an operator on images.
SymbolicRule symbolic_image_rule(const Facts& facts, Forms form);

// Likewise for a composite.
SymbolicRule symbolic_composite_rule(const Facts& facts, Forms form);

// Returns a size as a number; records a guard if it is a symbol.
int64_t number_of(SymbolicSize size);

// Makes ones on the device of a tensor.
Tensor new_ones(tenon_tensor* beside, const SymbolicDims& sizes, Dtype dtype);

// Runs an operator without a rule with concrete sizes, which records guards.
void run_with_numbers(const Call& call);

// Runs the routine with symbols, which it passes to the operators that it calls. Falls back to
// concrete sizes if it needs them itself.
void as_far_as_symbols_go(const Call& call);

// Calls an operator of a tensor and sizes with words; `flag` is its third argument.
Tensor call_with_sizes(const char* name, tenon_tensor* self, const SymbolicDims& sizes,
                       std::optional<bool> flag = std::nullopt);

}  // namespace tenon::kernels
