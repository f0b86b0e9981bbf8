// SPDX-License-Identifier: Apache-2.0
// Pointwise loops over operands that are not all contiguous and of the loop's dtype.
#pragma once

#include "kernels/common/elementwise.h"
#include "kernels/cpu/pointwise_loops.h"

namespace tenon::kernels::cpu {

// Runs the loop over a plan: what it cannot read or write as it is goes through blocks in the
// nearest cache.
void run_blocks(Elementwise& plan, const PointwiseFacts& facts, PointwiseLoop loop,
                const void* functor);

}  // namespace tenon::kernels::cpu
