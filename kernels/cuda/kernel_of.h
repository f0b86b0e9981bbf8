// SPDX-License-Identifier: Apache-2.0
// The CUDA kernel of an operator from its facts and functors: of the type that its family wants.
#pragma once

#include "kernels/cuda/pointwise.cuh"
#include "kernels/ops/operators.h"

namespace tenon::kernels::cuda {

template <const Facts& kFacts, template <class> class... F>
constexpr auto kernel_of() {
  return pointwise_table<kFacts, F...>();
}

}  // namespace tenon::kernels::cuda
