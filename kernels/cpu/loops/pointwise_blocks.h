// SPDX-License-Identifier: Apache-2.0
// Pointwise loops over operands that are not all contiguous and of the loop's dtype.
#pragma once

#include <memory>

#include "kernels/common/families/elementwise.h"
#include "kernels/cpu/loops/pointwise_loops.h"

namespace tenon::kernels::cpu {

// Runs a loop over a plan. Operands that the loop cannot access directly are converted by blocks in
// the L1 cache.
void run_blocks(Elementwise& plan, const PointwiseFacts& facts, const PointwiseLevel& level,
                const void* functor);

struct BlockLayout;

// A plan that can be run repeatedly on other memory with the same metadata.
class PlannedBlocks {
 public:
  PlannedBlocks(Elementwise& plan, const PointwiseFacts& facts);
  // Runs the plan. `base` are the first elements of the operands.
  void run(const PointwiseLevel& level, const void* functor, char* const* base) const;

 private:
  Walk walk_;
  std::shared_ptr<const BlockLayout> layout_;
};

}  // namespace tenon::kernels::cpu
