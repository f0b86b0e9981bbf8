// SPDX-License-Identifier: Apache-2.0
// aten::sum: the sum of all elements, or along dims. Integers add up in int64, floats in double.
#pragma once

#include "kernels/common/fold_functor.h"

namespace tenon::kernels::ops {

// What sums are kept in while they grow.
template <class T>
using WideSum = std::conditional_t<
    std::is_integral_v<T>, uint64_t,  // wraps
    std::conditional_t<std::is_same_v<T, float>, double,
                       std::conditional_t<std::is_same_v<T, Complex64>, Complex128, T>>>;

// The sum of floats as double. Many lanes, so that no addition waits for the one before. With
// `kFours`, four floats are added as floats before they become one double: that is what takes the
// time, and each term then rounds at most twice more, however many there are.
template <bool kFours>
TENON_FUNCTOR inline double sum_in_lanes(const float* in, int64_t count) {
  constexpr int kLanes = 16;
  double lanes[kLanes] = {};
  int64_t i = 0;
  if constexpr (kFours) {
    for (; i + 4 * kLanes <= count; i += 4 * kLanes) {
      const float* a = in + i;
      float four[kLanes];
      for (int k = 0; k < kLanes; ++k) {
        four[k] = (a[k] + a[k + kLanes]) + (a[k + 2 * kLanes] + a[k + 3 * kLanes]);
      }
      for (int k = 0; k < kLanes; ++k) lanes[k] += static_cast<double>(four[k]);
    }
  }
  for (; i + kLanes <= count; i += kLanes) {
    for (int k = 0; k < kLanes; ++k) lanes[k] += static_cast<double>(in[i + k]);
  }
  for (int width = kLanes / 2; width > 0; width /= 2) {
    for (int k = 0; k < width; ++k) lanes[k] += lanes[k + width];
  }
  double total = lanes[0];
  for (; i < count; ++i) total += static_cast<double>(in[i]);
  return total;
}

template <class T>
struct Sum {
  using State = WideSum<T>;
  using Out = std::conditional_t<std::is_integral_v<T>, int64_t, T>;
  using Outs = OutTypes<Out>;
  static constexpr int kLanes = 8;

  TENON_FUNCTOR State start() const { return State(0); }
  TENON_FUNCTOR State step(State state, T element, int64_t) const {
    return state + static_cast<State>(element);
  }
  TENON_FUNCTOR State merge(State a, State b) const { return a + b; }
  TENON_FUNCTOR State run(const T* elements,
                          int64_t count) const requires std::is_same_v<T, float> {
    constexpr int64_t kMany = 512;
    if (count < kMany) return sum_in_lanes<false>(elements, count);
    const double total = sum_in_lanes<true>(elements, count);
    // Four large floats may add up to infinity where their doubles do not.
    return __builtin_isfinite(total) ? total : sum_in_lanes<false>(elements, count);
  }
  TENON_FUNCTOR void finish(State state, int64_t i, char* const* outs) const {
    put(outs[0], i, static_cast<Out>(state));
  }
};

inline constexpr FoldFacts kSumFold{.types = kBool | kNumbers, .gives = FoldGives::Sum};

inline constexpr Facts kSum{
    .family = &kFold,
    .name = "sum",
    .params = "Tensor self, *, ScalarType? dtype=None",
    .forms = kFunctional | kOut,
    .tags = "reduction",
    .gradient = "self: grad.expand(self.sizes())",
    .tangent = "self_t.sum(dtype)",
    .batching = Batching::Fold,
    .cast = Cast::Fp32,
    .fold = kSumFold,
};

inline constexpr Facts kSumDimIntList{
    .family = &kFold,
    .name = "sum.dim_IntList",
    .params = "Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None",
    .forms = kFunctional | kOut,
    .out = "IntList_out",
    .tags = "core reduction",
    .gradient = "self: grad, with the dims that were folded, expanded to self.sizes()",
    .tangent = "self_t.sum(dim, keepdim, dtype)",
    .batching = Batching::Fold,
    .cast = Cast::Fp32,
    .fold = kSumFold,
};

}  // namespace tenon::kernels::ops
