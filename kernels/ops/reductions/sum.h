// SPDX-License-Identifier: Apache-2.0
// aten::sum: the sum of all elements or along dims. Integers are summed in int64, floats in double.
#pragma once

#include "kernels/common/families/fold_functor.h"

namespace tenon::kernels::ops {

// The type of partial sums.
template <class T>
using WideSum = std::conditional_t<
    std::is_integral_v<T>, uint64_t,  // wraps
    std::conditional_t<std::is_same_v<T, float>, double,
                       std::conditional_t<std::is_same_v<T, Complex64>, Complex128, T>>>;

// Returns the pairwise sum of one float of each of kCount vectors that are `apart` floats apart.
// The right operand comes first, because gcc loads it last. In the other order vectors were read
// backwards, which defeats the processor's prefetcher: sums of 64 MiB took three times as long.
template <int kCount>
TENON_FUNCTOR inline float sum_pairwise(const float* in, int64_t apart) {
  if constexpr (kCount == 1) {
    return *in;
  } else {
    return sum_pairwise<kCount / 2>(in + kCount / 2 * apart, apart) +
           sum_pairwise<kCount / 2>(in, apart);
  }
}

// Sums floats in double, in many lanes, so that no addition waits for the previous one. Conversions
// to double dominate the time, so kFloats floats are first added as floats. Each term is then
// rounded log2(kFloats) more times, a number that does not depend on `count`.
template <int kFloats>
TENON_FUNCTOR inline int64_t sum_in_lanes(const float* in, int64_t count, double* lanes) {
  constexpr int64_t kLanes = 16;
  constexpr int64_t kStep = kFloats * kLanes;
  int64_t i = 0;
  for (; i + kStep <= count; i += kStep) {
    float sums[kLanes];
    for (int64_t k = 0; k < kLanes; ++k) sums[k] = sum_pairwise<kFloats>(in + i + k, kLanes);
    TENON_ROLLED
    for (int64_t k = 0; k < kLanes; ++k) lanes[k] += static_cast<double>(sums[k]);
  }
  return i;
}

// Adds halves of the lanes pairwise. Recursive, because compilers would keep a loop over widths and
// the lanes in memory, which takes as long as some hundred elements.
template <int kWidth>
TENON_FUNCTOR inline double sum_of_lanes(double* lanes) {
  if constexpr (kWidth == 1) {
    return lanes[0];
  } else {
    for (int k = 0; k < kWidth / 2; ++k) lanes[k] += lanes[k + kWidth / 2];
    return sum_of_lanes<kWidth / 2>(lanes);
  }
}

template <bool kJoins>
TENON_FUNCTOR inline double sum_of_floats(const float* in, int64_t count) {
  constexpr int kLanes = 16;
  double lanes[kLanes] = {};
  int64_t i = 0;
  if constexpr (kJoins) {
    i += sum_in_lanes<16>(in, count, lanes);
    i += sum_in_lanes<4>(in + i, count - i, lanes);
  }
  i += sum_in_lanes<1>(in + i, count - i, lanes);
  double total = sum_of_lanes<kLanes>(lanes);
  for (; i < count; ++i) total += static_cast<double>(in[i]);
  return total;
}

// Computes the elementwise pairwise sum of kCount packs of small floats that are `apart` bytes
// apart.
template <class Pack, int kCount>
TENON_FUNCTOR inline void sum_packs(const char* in, int64_t apart, float* sums) {
  if constexpr (kCount == 1) {
    Pack::load(in, sums);
  } else {
    float later[Pack::kSize];
    sum_packs<Pack, kCount / 2>(in, apart, sums);
    sum_packs<Pack, kCount / 2>(in + kCount / 2 * apart, apart, later);
    for (int64_t k = 0; k < Pack::kSize; ++k) sums[k] += later[k];
  }
}

// Sums packs of small floats in double, with one lane for each element of a pack. Like
// sum_in_lanes(), it adds kPacks packs as floats before they are converted to double.
template <class Pack, int kPacks>
TENON_FUNCTOR inline int64_t sum_packs_in_lanes(const char* in, int64_t packs, double* lanes) {
  constexpr int64_t kBytes = 2 * Pack::kSize;
  int64_t i = 0;
  for (; i + kPacks <= packs; i += kPacks) {
    float sums[Pack::kSize];
    sum_packs<Pack, kPacks>(in + i * kBytes, kBytes, sums);
    for (int64_t k = 0; k < Pack::kSize; ++k) lanes[k] += static_cast<double>(sums[k]);
  }
  return i;
}

template <class Pack, bool kJoins>
TENON_FUNCTOR inline double sum_of_packs(const char* in, int64_t packs) {
  constexpr int64_t kBytes = 2 * Pack::kSize;
  double lanes[Pack::kSize] = {};
  int64_t i = 0;
  if constexpr (kJoins) {
    i += sum_packs_in_lanes<Pack, 16>(in, packs, lanes);
    i += sum_packs_in_lanes<Pack, 4>(in + i * kBytes, packs - i, lanes);
  }
  sum_packs_in_lanes<Pack, 1>(in + i * kBytes, packs - i, lanes);
  // A loop, because gcc would not vectorize the recursion for float16.
  for (int64_t width = Pack::kSize / 2; width > 0; width /= 2) {
    for (int64_t k = 0; k < width; ++k) lanes[k] += lanes[k + width];
  }
  return lanes[0];
}

TENON_FUNCTOR inline bool all_finite(const float* values, int64_t count) {
  uint32_t infinite = 0;
  for (int64_t k = 0; k < count; ++k) {
    const uint32_t exponent = __builtin_bit_cast(uint32_t, values[k]) & 0x7F800000;
    infinite |= (exponent + 0x00800000) & 0x80000000;
  }
  return infinite == 0;
}

template <class T>
struct Sum {
  using State = WideSum<T>;
  using Out = std::conditional_t<std::is_integral_v<T>, int64_t, T>;
  using Outs = OutTypes<Out>;
  static constexpr int kLanes = std::is_same_v<T, double> ? 32 : 8;
  static constexpr int64_t kJoined = 8;
  static constexpr bool kReadsSmall = true;
  static constexpr int kShortRun = std::is_integral_v<T> ? 8 : 64;

  TENON_FUNCTOR State start() const { return State(0); }
  TENON_FUNCTOR State step(State state, T element, int64_t) const {
    return state + static_cast<State>(element);
  }
  TENON_FUNCTOR State merge(State a, State b) const { return a + b; }
  TENON_FUNCTOR State run(const T* elements, int64_t count,
                          int64_t) const requires std::is_same_v<T, float> {
    const double total = sum_of_floats<true>(elements, count);
    // Large floats may overflow to infinity where doubles do not.
    return __builtin_isfinite(total) ? total : sum_of_floats<false>(elements, count);
  }
  TENON_FUNCTOR bool join(const char* rows, int64_t stride, int64_t count,
                          float* joined) const requires std::is_same_v<T, float> {
    const auto* const first = reinterpret_cast<const float*>(rows);
    const int64_t apart = stride / int64_t{sizeof(float)};
    for (int64_t k = 0; k < count; ++k) joined[k] = sum_pairwise<kJoined>(first + k, apart);
    return all_finite(joined, count);
  }
  // Like run(), for packs of float16 and bfloat16.
  template <class Pack>
  TENON_FUNCTOR State run_packs(const char* in, int64_t packs) const {
    const double total = sum_of_packs<Pack, true>(in, packs);
    return __builtin_isfinite(total) ? total : sum_of_packs<Pack, false>(in, packs);
  }
  template <class Pack>
  TENON_FUNCTOR bool join_packs(const char* rows, int64_t stride, int64_t packs,
                                float* joined) const {
    for (int64_t i = 0; i < packs; ++i) {
      sum_packs<Pack, kJoined>(rows + i * 2 * Pack::kSize, stride, joined + i * Pack::kSize);
    }
    return all_finite(joined, packs * Pack::kSize);
  }
  TENON_FUNCTOR void finish(State state, int64_t i, char* const* outs) const {
    put(outs[0], i, static_cast<Out>(state));
  }
};

inline constexpr FoldFacts kSumFold{.types = kBool | kNumbers | kWideUnsigned | kHalfComplex,
                                    .gives = FoldGives::Sum};

inline constexpr Facts kSum{
    .family = &kFold,
    .name = "sum",
    .params = "Tensor self, *, ScalarType? dtype=None",
    .forms = kFunctional | kOut,
    .tags = "reduction",
    .gradient = "self: grad.expand(self.sizes())",
    .tangent = "self_t.sum(dtype=dtype)",
    .batching = Batching::Fold,
    .cast = Cast::Fp32Dtype,
    .cast_on_cpu = Cast::None,
    .fold = kSumFold,
};

inline constexpr Facts kSumDimIntList{
    .family = &kFold,
    .name = "sum.dim_IntList",
    .params = "Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None",
    .forms = kFunctional | kOut,
    .out = "IntList_out",
    .tags = "core reduction",
    .gradient = "self: grad.reshape(folded_sizes(self.sizes(), dim)).expand(self.sizes())",
    .tangent = "self_t.sum(dim, keepdim, dtype=dtype)",
    .batching = Batching::Fold,
    .node_number = 1,
    .cast = Cast::Fp32Dtype,
    .cast_on_cpu = Cast::None,
    .fold = kSumFold,
};

}  // namespace tenon::kernels::ops
