// SPDX-License-Identifier: Apache-2.0
// Runs a pointwise plan on the CPU, through temporaries where dtypes differ.
#pragma once

#include "kernels/common/elementwise.h"

namespace tenon::kernels::cpu {

// Up to this many elements our kernels are quicker than a switch of threads.
inline constexpr int64_t kQuickNumel = 32768;

// Runs `loop` over all operands of a finished plan. Inputs of another dtype than the loop reads are
// cast to temporaries first, the result of another dtype than the output's is cast afterwards.
void run_with_casts(Elementwise& plan, Loop loop, const void* ctx);
inline void run(Elementwise& plan, Loop loop, const void* ctx) {
  if (!plan.has_casts()) [[likely]] {
    plan.walk().run(loop, ctx);
  } else {
    run_with_casts(plan, loop, ctx);
  }
}

}  // namespace tenon::kernels::cpu
