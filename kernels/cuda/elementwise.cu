// SPDX-License-Identifier: Apache-2.0
// Kernels of add and mul: one thread an element, strided operands.
#include "kernels/cuda/launch.cuh"

namespace tenon::kernels::cuda {
namespace {

template <class T>
__device__ Compute<T> load(const char* at) {
  return static_cast<Compute<T>>(*reinterpret_cast<const T*>(at));
}
template <class T>
__device__ void store(char* at, Compute<T> value) {
  *reinterpret_cast<T*>(at) = static_cast<T>(value);
}

template <class T, class F>
__global__ void binary_kernel(const __grid_constant__ Strided walk, F function) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < walk.numel;
       i += step) {
    int64_t offsets[3];
    offsets_of(walk, i, offsets);
    store<T>(walk.data[0] + offsets[0],
             function(load<T>(walk.data[1] + offsets[1]), load<T>(walk.data[2] + offsets[2])));
  }
}

template <class C>
struct AddScaled {
  C alpha;
  __device__ C operator()(C a, C b) const {
    if constexpr (std::is_same_v<C, bool>) {
      return a || (alpha && b);
    } else {
      return static_cast<C>(a + alpha * b);
    }
  }
};

template <class C>
struct Multiply {
  __device__ C operator()(C a, C b) const {
    if constexpr (std::is_same_v<C, bool>) {
      return a && b;
    } else {
      return static_cast<C>(a * b);
    }
  }
};

template <class C>
C number_as(Number number) {
  if constexpr (is_complex_element<C>) {
    return C(static_cast<typename C::value_type>(number.re),
             static_cast<typename C::value_type>(number.im));
  } else if constexpr (std::is_integral_v<C>) {
    return static_cast<C>(number.i);
  } else {
    return static_cast<C>(number.re);
  }
}

}  // namespace

void launch_add(int32_t dtype, const Strided& walk, Number alpha, Stream stream) {
  if (walk.numel == 0) return;
  visit_element(dtype, [&]<class T>(Element<T>) {
    binary_kernel<T><<<grid_of(walk.numel), kBlock, 0, static_cast<cudaStream_t>(stream)>>>(
        walk, AddScaled<Compute<T>>{number_as<Compute<T>>(alpha)});
  });
  check_launch("aten::add");
}

void launch_mul(int32_t dtype, const Strided& walk, Stream stream) {
  if (walk.numel == 0) return;
  visit_element(dtype, [&]<class T>(Element<T>) {
    binary_kernel<T><<<grid_of(walk.numel), kBlock, 0, static_cast<cudaStream_t>(stream)>>>(
        walk, Multiply<Compute<T>>{});
  });
  check_launch("aten::mul");
}

}  // namespace tenon::kernels::cuda
