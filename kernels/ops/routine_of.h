// SPDX-License-Identifier: Apache-2.0
// Makes a device's kernel of an operator that has its own routine.
#pragma once

#include "kernels/common/families/routine.h"
#include "kernels/ops/operators.h"

namespace tenon::kernels {

// Returns the operator's row in the table of a device. A `quick_numel` of 0 is the plugin's own
// limit.
template <const Facts& kFacts, void (*kRun)(const Call&)>
Operator routine_of(int64_t quick_numel = 0) {
  static constexpr Routine kRoutine{kRun};
  return {"aten", &kFacts, &kRoutine, quick_numel};
}

// Like routine_of(), for an operator in another namespace than aten.
template <const Facts& kFacts, void (*kRun)(const Call&)>
Operator routine_of(const char* ns) {
  Operator op = routine_of<kFacts, kRun>();
  op.ns = ns;
  return op;
}

}  // namespace tenon::kernels
