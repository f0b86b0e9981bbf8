// SPDX-License-Identifier: Apache-2.0
// A device's part of an operator that has a routine of its own there.
#pragma once

#include "kernels/common/families/routine.h"
#include "kernels/ops/operators.h"

namespace tenon::kernels {

// The line of the table of operators for it. `quick_numel` 0 is the plugin's own limit.
template <const Facts& kFacts, void (*kRun)(const Call&)>
Operator routine_of(int64_t quick_numel = 0) {
  static constexpr Routine kRoutine{kRun};
  return {"aten", &kFacts, &kRoutine, quick_numel};
}

// The same of an operator in another namespace than aten.
template <const Facts& kFacts, void (*kRun)(const Call&)>
Operator routine_of(const char* ns) {
  Operator op = routine_of<kFacts, kRun>();
  op.ns = ns;
  return op;
}

}  // namespace tenon::kernels
