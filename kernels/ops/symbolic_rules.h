// SPDX-License-Identifier: Apache-2.0
// The rules of operators for symbolic sizes, in three files: new tensors, views, and composites.
#pragma once

#include "kernels/common/symbolic.h"

namespace tenon::kernels {

// The rule of a view, or of what makes one where it can; NULL for all others.
SymbolicRule symbolic_view_rule(const Facts& facts, Forms form);

// The same of an operator that calls others.
SymbolicRule symbolic_composite_rule(const Facts& facts, Forms form);

// An operator of a tensor and sizes, called with words.
Tensor call_with_sizes(const char* name, tenon_tensor* self, const SymbolicDims& sizes);

}  // namespace tenon::kernels
