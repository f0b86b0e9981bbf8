// SPDX-License-Identifier: Apache-2.0
// Pointwise loops over operands that are not all contiguous and of the loop's dtype.
#pragma once

#include <memory>

#include "kernels/common/families/elementwise.h"
#include "kernels/cpu/loops/pointwise_loops.h"

namespace tenon::kernels::cpu {

// Runs a loop over a plan: what it cannot read or write as it is goes through blocks in the
// nearest cache.
void run_blocks(Elementwise& plan, const PointwiseFacts& facts, const PointwiseLevel& level,
                const void* functor);

struct BlockLayout;

// A plan that is kept, to be run over other memory of the same description.
class KeptBlocks {
 public:
  KeptBlocks(Elementwise& plan, const PointwiseFacts& facts);
  // `base` has the first element of each operand.
  void run(const PointwiseLevel& level, const void* functor, char* const* base) const;

 private:
  Walk walk_;
  std::shared_ptr<const BlockLayout> layout_;
};

}  // namespace tenon::kernels::cpu
