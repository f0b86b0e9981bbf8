// SPDX-License-Identifier: Apache-2.0
// The loops of what resamples a tensor on the CPU.
#pragma once

#include "kernels/common/resampling.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {

// Writes the result: each element from those of `self` that its taps name. Other dtypes than those
// of a selection's elements, floats and int64 are refused.
void resample(const Call& call, Resampling& plan);
// The same the other way round: each element of `self`, a gradient, is added where its taps are.
void resample_gradient(const Call& call, Resampling& plan);

// The CPU's part of operators.
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
