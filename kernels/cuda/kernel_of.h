// SPDX-License-Identifier: Apache-2.0
// Makes the CUDA kernel of an operator from its facts and functors, with the type of its family.
#pragma once

#if defined(__CUDACC__)
#include "kernels/cuda/loops/complex_maths.cuh"
#endif
#include "kernels/cuda/loops/fold.cuh"
#include "kernels/cuda/loops/pointwise.cuh"
#include "kernels/ops/operators.h"

namespace tenon::kernels::cuda {

template <const Facts& kFacts, template <class> class... F>
constexpr auto kernel_of() {
  // Tests the facts and not the family, because UBSan keeps GCC from comparing its address at
  // compile time.
  if constexpr (kFacts.fold.types != 0) {
    return fold_table<kFacts, F...>();
  } else {
    return pointwise_table<kFacts, F...>();
  }
}

}  // namespace tenon::kernels::cuda
