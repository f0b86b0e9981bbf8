// SPDX-License-Identifier: Apache-2.0
// From a functor to its CUDA kernels: one thread an element, strided operands, one kernel for each
// dtype of the operator's facts.
#pragma once

#include <utility>

#include "kernels/common/facts.h"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/pointwise.h"

namespace tenon::kernels::cuda {

// What is in memory where a functor takes or gives a V and elements are T: its compute type stands
// for T, anything else for itself.
template <class T, class V>
using Stored = std::conditional_t<std::is_same_v<V, Compute<T>>, T, V>;

template <class T, class V>
__device__ V load(const char* at) {
  return static_cast<V>(*reinterpret_cast<const Stored<T, V>*>(at));
}

template <class T, class F, class R, class... A, int... k>
__device__ void apply(const Strided& walk, int64_t index, const F& functor, R (F::*)(A...) const,
                      std::integer_sequence<int, k...>) {
  int64_t offsets[sizeof...(A) + 1];
  offsets_of(walk, index, offsets);
  *reinterpret_cast<Stored<T, R>*>(walk.data[0] + offsets[0]) =
      static_cast<Stored<T, R>>(functor(load<T, A>(walk.data[k + 1] + offsets[k + 1])...));
}

template <class F>
struct Arity : Arity<decltype(&F::operator())> {};
template <class R, class F, class... A>
struct Arity<R (F::*)(A...) const> {
  static constexpr int value = sizeof...(A);
};

template <class T, class F>
__global__ void pointwise_kernel(const __grid_constant__ Strided walk, const F functor) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < walk.numel;
       i += step) {
    apply<T>(walk, i, functor, &F::operator(), std::make_integer_sequence<int, Arity<F>::value>());
  }
}

template <class T, class F>
void launch_pointwise(const Strided& walk, const Args& args, Stream stream) {
  if (walk.numel == 0) return;
  F functor;
  if constexpr (requires { F::make(args); }) functor = F::make(args);
  pointwise_kernel<T>
      <<<grid_of(walk.numel), kBlock, 0, static_cast<cudaStream_t>(stream)>>>(walk, functor);
  check_launch(args.op());
}

template <const Facts& kFacts, int kVariant, template <class> class F, class T, tenon_dtype kDtype>
constexpr void add_launch(Launch* launches) {
  if constexpr (has(rule_of(kFacts.pointwise, kVariant).types, kDtype)) {
    launches[kDtype] = &launch_pointwise<T, F<Compute<T>>>;
  }
}

template <const Facts& kFacts, int kVariant, template <class> class F>
constexpr void add_launches(Launch* launches) {
  add_launch<kFacts, kVariant, F, bool, TENON_DTYPE_BOOL>(launches);
  add_launch<kFacts, kVariant, F, uint8_t, TENON_DTYPE_U8>(launches);
  add_launch<kFacts, kVariant, F, int8_t, TENON_DTYPE_I8>(launches);
  add_launch<kFacts, kVariant, F, int16_t, TENON_DTYPE_I16>(launches);
  add_launch<kFacts, kVariant, F, int32_t, TENON_DTYPE_I32>(launches);
  add_launch<kFacts, kVariant, F, int64_t, TENON_DTYPE_I64>(launches);
  add_launch<kFacts, kVariant, F, __half, TENON_DTYPE_F16>(launches);
  add_launch<kFacts, kVariant, F, __nv_bfloat16, TENON_DTYPE_BF16>(launches);
  add_launch<kFacts, kVariant, F, float, TENON_DTYPE_F32>(launches);
  add_launch<kFacts, kVariant, F, double, TENON_DTYPE_F64>(launches);
  add_launch<kFacts, kVariant, F, Complex64, TENON_DTYPE_C64>(launches);
  add_launch<kFacts, kVariant, F, Complex128, TENON_DTYPE_C128>(launches);
  add_launch<kFacts, kVariant, F, __nv_fp8_e5m2, TENON_DTYPE_F8_E5M2>(launches);
  add_launch<kFacts, kVariant, F, __nv_fp8_e4m3, TENON_DTYPE_F8_E4M3FN>(launches);
}

template <const Facts& kFacts, template <class> class... F, int... kVariant>
constexpr void add_variants(Launch (*launches)[kDtypes], std::integer_sequence<int, kVariant...>) {
  (add_launches<kFacts, kVariant, F>(launches[kVariant]), ...);
}

// The kernel of an operator whose variants are the functors F..., in this order.
template <const Facts& kFacts, template <class> class... F>
constexpr PointwiseTable<sizeof...(F)> pointwise_table() {
  PointwiseTable<sizeof...(F)> table;
  add_variants<kFacts, F...>(table.launches, std::make_integer_sequence<int, sizeof...(F)>());
  return table;
}

}  // namespace tenon::kernels::cuda
