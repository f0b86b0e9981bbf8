// SPDX-License-Identifier: Apache-2.0
// The rules of operators for symbolic sizes, in four files: new tensors, views, parts along a dim,
// and composites.
#pragma once

#include "kernels/common/symbolic.h"

namespace tenon::kernels {

// The rule of a view, or of what makes one where it can; NULL for all others.
SymbolicRule symbolic_view_rule(const Facts& facts, Forms form);

// The same of an operator that gives several views, one behind the other.
SymbolicRule symbolic_parts_rule(const Facts& facts, Forms form);

// The same of an operator that calls others.
SymbolicRule symbolic_composite_rule(const Facts& facts, Forms form);

// An operator of a tensor and sizes, called with words; `flag` is its third argument.
Tensor call_with_sizes(const char* name, tenon_tensor* self, const SymbolicDims& sizes,
                       std::optional<bool> flag = std::nullopt);

}  // namespace tenon::kernels
