// SPDX-License-Identifier: Apache-2.0
// What all kernels share on the device: offsets of strided operands, grid sizes, launch checks.
#pragma once

#include <algorithm>

#include "kernels/cuda/elements.cuh"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/runtime.h"

namespace tenon::kernels::cuda {

inline constexpr int kBlock = 256;

// The byte offsets of element `index` in the first kCount operands.
template <int kCount>
__device__ void offsets_of(const Strided& walk, int64_t index, int64_t (&offsets)[kCount]) {
  for (int k = 0; k < kCount; ++k) offsets[k] = 0;
  for (int d = 0; d < walk.ndim; ++d) {
    const int64_t at = index % walk.sizes[d];
    index /= walk.sizes[d];
    for (int k = 0; k < kCount; ++k) offsets[k] += at * walk.strides[k][d];
  }
}

// Enough blocks for one element a thread, capped: kernels stride over the rest.
inline unsigned grid_of(int64_t threads) {
  const int64_t blocks = (threads + kBlock - 1) / kBlock;
  return static_cast<unsigned>(std::clamp<int64_t>(blocks, 1, int64_t{1} << 20));
}

inline void check_launch(const char* kernel) { check_cuda(cudaGetLastError(), kernel); }

}  // namespace tenon::kernels::cuda
