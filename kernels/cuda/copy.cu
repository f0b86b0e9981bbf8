// SPDX-License-Identifier: Apache-2.0
// Kernels of copy_ and fill_: any dtype to any dtype through one wide number, so that there is one
// kernel a target dtype instead of one a pair.
#include "kernels/cuda/launch.cuh"

namespace tenon::kernels::cuda {
namespace {

// A number as loaded: integers exactly, floating and complex ones in double precision.
struct Wide {
  double re;
  double im;
  int64_t i;
  bool integral;
};

template <class T>
__device__ Wide widen(T value) {
  if constexpr (is_complex_element<T>) {
    return {static_cast<double>(value.real()), static_cast<double>(value.imag()), 0, false};
  } else if constexpr (std::is_integral_v<T>) {
    return {0, 0, static_cast<int64_t>(value), true};
  } else {
    return {static_cast<double>(static_cast<Compute<T>>(value)), 0, 0, false};
  }
}

template <class T>
__device__ T narrow(const Wide& wide) {
  if constexpr (std::is_same_v<T, bool>) {
    return wide.integral ? wide.i != 0 : wide.re != 0 || wide.im != 0;
  } else if constexpr (std::is_integral_v<T>) {
    // Through int64 as on the CPU: what is out of a narrow type's range wraps.
    return static_cast<T>(wide.integral ? wide.i : static_cast<int64_t>(wide.re));
  } else if constexpr (is_complex_element<T>) {
    using Part = typename T::value_type;
    return wide.integral ? T(static_cast<Part>(wide.i), Part(0))
                         : T(static_cast<Part>(wide.re), static_cast<Part>(wide.im));
  } else {
    return static_cast<T>(wide.integral ? static_cast<Compute<T>>(wide.i)
                                        : static_cast<Compute<T>>(wide.re));
  }
}

// The switch inside the kernel: every thread of a launch takes the same branch.
__device__ Wide load_wide(int32_t dtype, const char* at) {
  switch (dtype) {
    case TENON_DTYPE_BOOL:
      return widen(*reinterpret_cast<const bool*>(at));
    case TENON_DTYPE_U8:
      return widen(*reinterpret_cast<const uint8_t*>(at));
    case TENON_DTYPE_I8:
      return widen(*reinterpret_cast<const int8_t*>(at));
    case TENON_DTYPE_I16:
      return widen(*reinterpret_cast<const int16_t*>(at));
    case TENON_DTYPE_I32:
      return widen(*reinterpret_cast<const int32_t*>(at));
    case TENON_DTYPE_I64:
      return widen(*reinterpret_cast<const int64_t*>(at));
    case TENON_DTYPE_F16:
      return widen(*reinterpret_cast<const __half*>(at));
    case TENON_DTYPE_BF16:
      return widen(*reinterpret_cast<const __nv_bfloat16*>(at));
    case TENON_DTYPE_F32:
      return widen(*reinterpret_cast<const float*>(at));
    case TENON_DTYPE_F64:
      return widen(*reinterpret_cast<const double*>(at));
    case TENON_DTYPE_C64:
      return widen(*reinterpret_cast<const Complex64*>(at));
    case TENON_DTYPE_C128:
      return widen(*reinterpret_cast<const Complex128*>(at));
    case TENON_DTYPE_F8_E5M2:
      return widen(*reinterpret_cast<const __nv_fp8_e5m2*>(at));
    default:
      return widen(*reinterpret_cast<const __nv_fp8_e4m3*>(at));
  }
}

template <class T>
__global__ void copy_kernel(const __grid_constant__ Strided walk, int32_t source) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < walk.numel;
       i += step) {
    int64_t offsets[2];
    offsets_of(walk, i, offsets);
    *reinterpret_cast<T*>(walk.data[0] + offsets[0]) =
        narrow<T>(load_wide(source, walk.data[1] + offsets[1]));
  }
}

template <class T>
__global__ void fill_kernel(const __grid_constant__ Strided walk, Wide wide) {
  const T value = narrow<T>(wide);
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < walk.numel;
       i += step) {
    int64_t offsets[1];
    offsets_of(walk, i, offsets);
    *reinterpret_cast<T*>(walk.data[0] + offsets[0]) = value;
  }
}

bool is_integral_dtype(int32_t dtype) {
  return dtype == TENON_DTYPE_BOOL || (tenon_dtype_traits(dtype) & TENON_DTYPE_IS_INTEGRAL) != 0;
}

}  // namespace

void launch_copy(int32_t target, int32_t source, const Strided& walk, Stream stream) {
  if (walk.numel == 0) return;
  visit_element(target, [&]<class T>(Element<T>) {
    copy_kernel<T>
        <<<grid_of(walk.numel), kBlock, 0, static_cast<cudaStream_t>(stream)>>>(walk, source);
  });
  check_launch("aten::copy_");
}

void launch_fill(int32_t dtype, const Strided& walk, Number number, Stream stream) {
  if (walk.numel == 0) return;
  const Wide wide{number.re, number.im, number.i, is_integral_dtype(dtype)};
  visit_element(dtype, [&]<class T>(Element<T>) {
    fill_kernel<T>
        <<<grid_of(walk.numel), kBlock, 0, static_cast<cudaStream_t>(stream)>>>(walk, wide);
  });
  check_launch("aten::fill_");
}

}  // namespace tenon::kernels::cuda
