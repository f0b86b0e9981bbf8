// SPDX-License-Identifier: Apache-2.0
// Kernel of sum: one block a result, its threads stride over what is summed.
#include <cub/block/block_reduce.cuh>

#include "kernels/cuda/launch.cuh"

namespace tenon::kernels::cuda {
namespace {

// The type that a sum is accumulated in: what its elements are computed in.
template <class T>
__global__ void sum_kernel(const __grid_constant__ Strided outer,
                           const __grid_constant__ Strided inner) {
  using Wide = Compute<T>;
  using Reduce = cub::BlockReduce<Wide, kBlock>;
  __shared__ typename Reduce::TempStorage storage;
  for (int64_t o = blockIdx.x; o < outer.numel; o += gridDim.x) {
    int64_t at[2];
    offsets_of(outer, o, at);
    Wide partial = Wide(0);
    for (int64_t r = threadIdx.x; r < inner.numel; r += kBlock) {
      int64_t offset[1];
      offsets_of(inner, r, offset);
      partial += static_cast<Wide>(*reinterpret_cast<const T*>(outer.data[1] + at[1] + offset[0]));
    }
    const Wide total = Reduce(storage).Sum(partial);
    if (threadIdx.x == 0) *reinterpret_cast<T*>(outer.data[0] + at[0]) = static_cast<T>(total);
    __syncthreads();  // the storage is used again
  }
}

}  // namespace

void launch_sum(int32_t dtype, const Strided& outer, const Strided& inner, Stream stream) {
  if (outer.numel == 0) return;
  const auto grid = static_cast<unsigned>(std::min<int64_t>(outer.numel, int64_t{1} << 20));
  visit_element(dtype, [&]<class T>(Element<T>) {
    sum_kernel<T><<<grid, kBlock, 0, static_cast<cudaStream_t>(stream)>>>(outer, inner);
  });
  check_launch("aten::sum");
}

}  // namespace tenon::kernels::cuda
