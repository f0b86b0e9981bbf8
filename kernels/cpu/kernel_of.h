// SPDX-License-Identifier: Apache-2.0
// The CPU kernel of an operator from its facts and functors: of the type that its family wants.
#pragma once

#include "kernels/cpu/loops/fold_loops.h"
#include "kernels/ops/operators.h"

namespace tenon::kernels::cpu {

template <const Facts& kFacts, template <class> class... F>
constexpr auto kernel_of() {
  // Told by the facts and not by the family, whose address UBSan keeps GCC from comparing.
  if constexpr (kFacts.fold.types != 0) {
    return fold_table<kFacts, F...>();
  } else {
    return pointwise_table<kFacts, F...>();
  }
}

}  // namespace tenon::kernels::cpu
