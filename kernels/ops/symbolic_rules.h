// SPDX-License-Identifier: Apache-2.0
// The rules of operators for symbolic sizes, in two files: new tensors and views.
#pragma once

#include "kernels/common/symbolic.h"

namespace tenon::kernels {

// The rule of a view, or of what makes one where it can; NULL for all others.
SymbolicRule symbolic_view_rule(const Facts& facts, Forms form);

}  // namespace tenon::kernels
