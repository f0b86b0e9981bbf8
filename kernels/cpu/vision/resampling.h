// SPDX-License-Identifier: Apache-2.0
// The loops of resampling on the CPU.
#pragma once

#include "kernels/common/resampling.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {

// Writes the result: each element from the elements of `self` in its taps. A selection supports all
// dtypes, other sums floats and int64; further dtypes are refused.
void resample(const Call& call, Resampling& plan);
// Like resample(), but in the other direction: each element of `self`, a gradient, is added to the
// elements in its taps.
void resample_gradient(const Call& call, Resampling& plan);

// CPU kernels of resampling operators.
template <Resampling (*kPlan)(const Call&)>
void run_resample(const Call& call) {
  Resampling plan = kPlan(call);
  resample(call, plan);
  end_resampling(call, std::move(plan));
}
template <Resampling (*kPlan)(const Call&)>
void run_resample_gradient(const Call& call) {
  Resampling plan = kPlan(call);
  resample_gradient(call, plan);
  end_resampling(call, std::move(plan));
}

}  // namespace tenon::kernels::cpu
