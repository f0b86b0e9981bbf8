// SPDX-License-Identifier: Apache-2.0
// Shared by all kernels: addressing of strided operands, and launches that run a body for each
// index. If a host compiler compiles this file, launches become loops that do the work of each
// thread; tests/cuda uses this to test without a GPU.
#pragma once

#include <algorithm>

#include "kernels/common/maths/element_types.h"
#include "kernels/cuda/loops/launch.h"
#include "kernels/cuda/runtime.h"

namespace tenon::kernels::cuda {

inline constexpr int kBlock = 256;

// Divides indices by the size of a dim. Below 2^31 it multiplies instead, since GPUs have no
// division instruction ("Division by invariant integers using multiplication", Granlund and
// Montgomery, 1994).
class Divider {
 public:
  Divider() = default;
  explicit Divider(int64_t size) : size_(size) {
    if (size < 1 || size >= kNarrow) return;
    while (shift_ < 31 && int64_t{1} << shift_ < size) ++shift_;
    const uint64_t rest = (uint64_t{1} << shift_) - static_cast<uint64_t>(size);
    factor_ = static_cast<uint32_t>((rest << 32) / static_cast<uint64_t>(size) + 1);
  }
  static constexpr int64_t kNarrow = int64_t{1} << 31;

  TENON_FUNCTOR int64_t size() const { return size_; }
  TENON_FUNCTOR uint32_t divide(uint32_t index) const {
    const auto high = static_cast<uint32_t>((uint64_t{index} * factor_) >> 32);
    return (high + index) >> shift_;
  }

 private:
  int64_t size_ = 1;
  uint32_t factor_ = 1;
  uint32_t shift_ = 0;
};

// Strided operands of up to kDims dims in the form that kernels take, that is, as launch
// parameters.
template <int kOperands, int kDims = kMaxDims>
class Steps {
 public:
  explicit Steps(const Strided& walk) : ndim_(walk.ndim), numel_(walk.numel) {
    for (int d = 0; d < ndim_; ++d) {
      sizes_[d] = Divider(walk.sizes[d]);
      for (int k = 0; k < kOperands; ++k) strides_[d][k] = walk.strides[k][d];
    }
    for (int k = 0; k < kOperands; ++k) {
      data_[k] = walk.data[k];
      std::copy_n(walk.elements[k], kWidest, elements_[k]);
    }
  }

  TENON_FUNCTOR int64_t numel() const { return numel_; }
  // Returns true if the elements of each operand are a constant distance apart, which is
  // distance(k).
  TENON_FUNCTOR bool is_line() const { return ndim_ == 1; }
  TENON_FUNCTOR int64_t distance(int k) const { return strides_[0][k]; }

  // Advances pointers from the first elements to element `index`.
  TENON_FUNCTOR void move(int64_t index, char** at) const {
    if (ndim_ == 1) {
      step(0, index, at);
    } else if (numel_ < Divider::kNarrow) {
      auto rest = static_cast<uint32_t>(index);
      for (int d = 0; d < ndim_; ++d) {
        const uint32_t next = sizes_[d].divide(rest);
        step(d, rest - next * static_cast<uint32_t>(sizes_[d].size()), at);
        rest = next;
      }
    } else {
      for (int d = 0; d < ndim_; ++d) {
        step(d, index % sizes_[d].size(), at);
        index /= sizes_[d].size();
      }
    }
  }

  // Computes the address of element `index` of each operand.
  TENON_FUNCTOR void locate(int64_t index, char** at) const {
    for (int k = 0; k < kOperands; ++k) at[k] = first(k);
    move(index, at);
  }
  TENON_FUNCTOR char* first(int k) const {
    return data_[k] != nullptr ? data_[k] : const_cast<char*>(elements_[k]);
  }
  // Returns true if operand k is a single element that is a launch parameter.
  TENON_FUNCTOR bool has_element(int k) const { return data_[k] == nullptr; }

 private:
  TENON_FUNCTOR void step(int d, int64_t count, char** at) const {
    for (int k = 0; k < kOperands; ++k) at[k] += count * strides_[d][k];
  }

  int32_t ndim_;
  int64_t numel_;
  Divider sizes_[kDims];
  int64_t strides_[kDims][kOperands];
  char* data_[kOperands];
  alignas(kWidest) char elements_[kOperands][kWidest];
};

// The launches below take a body whose members are the kernel's parameters.
template <class Body>
inline constexpr bool fits_a_launch = sizeof(Body) <= 32764;  // bytes of parameters, from sm_70 on

#if defined(__CUDACC__)

// Returns a grid with one thread for each index, up to a limit; kernels loop over further indices.
inline unsigned grid_of(int64_t threads) {
  const int64_t blocks = (threads + kBlock - 1) / kBlock;
  return static_cast<unsigned>(std::clamp<int64_t>(blocks, 1, int64_t{1} << 20));
}

inline void check_launch(const char* op) { check_cuda(cudaGetLastError(), op); }

template <class Body>
__global__ void each_kernel(const __grid_constant__ Body body, int64_t count) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * kBlock;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * kBlock + threadIdx.x; i < count; i += step) {
    body(i);
  }
}

// Calls body(i) for each index below `count`, in any order.
template <class Body>
void launch_each(const char* op, const Body& body, int64_t count, Stream stream) {
  static_assert(fits_a_launch<Body>);
  if (count == 0) return;
  each_kernel<<<grid_of(count), kBlock, 0, static_cast<cudaStream_t>(stream)>>>(body, count);
  check_launch(op);
}

template <class Body>
__global__ void blocks_kernel(const __grid_constant__ Body body, int64_t count) {
  using State = typename Body::State;
  __shared__ alignas(State) char storage[kBlock * sizeof(State)];
  State* const states = reinterpret_cast<State*>(storage);
  const int thread = static_cast<int>(threadIdx.x);
  for (int64_t i = blockIdx.x; i < count; i += gridDim.x) {
    states[thread] = body.part(i, thread, kBlock);
    for (int half = kBlock / 2; half > 0; half /= 2) {
      __syncthreads();
      if (thread < half) states[thread] = body.merge(states[thread], states[thread + half]);
    }
    if (thread == 0) body.finish(i, states[0]);
    __syncthreads();  // shared memory is reused by the next index
  }
}

// For each index below `count`, merges body.part(i, thread, threads) of all threads of a block and
// calls body.finish(i, state) with the result.
template <class Body>
void launch_blocks(const char* op, const Body& body, int64_t count, Stream stream) {
  static_assert(fits_a_launch<Body>);
  if (count == 0) return;
  const auto grid = static_cast<unsigned>(std::min<int64_t>(count, int64_t{1} << 20));
  blocks_kernel<<<grid, kBlock, 0, static_cast<cudaStream_t>(stream)>>>(body, count);
  check_launch(op);
}

#else

template <class Body>
void launch_each(const char*, const Body& body, int64_t count, Stream) {
  static_assert(fits_a_launch<Body>);
  for (int64_t i = 0; i < count; ++i) body(i);
}

template <class Body>
void launch_blocks(const char*, const Body& body, int64_t count, Stream) {
  static_assert(fits_a_launch<Body>);
  for (int64_t i = 0; i < count; ++i) {
    typename Body::State states[kBlock];
    for (int thread = 0; thread < kBlock; ++thread) states[thread] = body.part(i, thread, kBlock);
    for (int half = kBlock / 2; half > 0; half /= 2) {
      for (int k = 0; k < half; ++k) states[k] = body.merge(states[k], states[k + half]);
    }
    body.finish(i, states[0]);
  }
}

#endif

}  // namespace tenon::kernels::cuda
