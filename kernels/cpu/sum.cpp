// SPDX-License-Identifier: Apache-2.0
// aten::sum on the CPU.
#include "kernels/cpu/sum.h"

#include <cmath>

#include "kernels/common/registrar.h"
#include "kernels/cpu/cast.h"
#include "kernels/cpu/reduce.h"
#include "kernels/cpu/run.h"
#include "kernels/ops/sum.h"

namespace tenon::kernels::cpu {
namespace {

// The sum of floats as double. Many lanes, so that no addition waits for the one before. With
// `kFours`, four floats are added as floats before they become one double: that is what takes the
// time, and each term then rounds at most twice more, however many there are.
template <bool kFours>
[[gnu::always_inline]] inline double sum_in_lanes(const float* in, int64_t count) {
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

#if defined(__x86_64__) && defined(__GNUC__)
// The same additions in the same order, in wider registers.
template <bool kFours>
[[gnu::target("avx2")]] double sum_in_lanes_avx2(const float* in, int64_t count) {
  return sum_in_lanes<kFours>(in, count);
}
template <bool kFours>
double sum_in_best_lanes(const float* in, int64_t count) {
  const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
  return has_avx2 ? sum_in_lanes_avx2<kFours>(in, count) : sum_in_lanes<kFours>(in, count);
}
#else
template <bool kFours>
double sum_in_best_lanes(const float* in, int64_t count) {
  return sum_in_lanes<kFours>(in, count);
}
#endif

double sum_floats(const float* in, int64_t count) {
  constexpr int64_t kMany = 512;
  if (count < 16) {
    double total = 0;
    for (int64_t i = 0; i < count; ++i) total += static_cast<double>(in[i]);
    return total;
  }
  if (count < 64) return sum_in_lanes<false>(in, count);
  if (count < kMany) return sum_in_best_lanes<false>(in, count);
  const double total = sum_in_best_lanes<true>(in, count);
  // Four large floats may add up to infinity where their doubles do not.
  return std::isfinite(total) ? total : sum_in_best_lanes<false>(in, count);
}

// Sums are kept wider than their elements: int64, or double for float.
template <class T>
struct Sum {
  using In = T;
  using Wide = std::conditional_t<
      std::is_integral_v<T>, uint64_t,  // wraps
      std::conditional_t<std::is_same_v<T, float> || is_small_float<T>, double, T>>;
  using State = std::conditional_t<std::is_same_v<T, Complex64>, Complex128, Wide>;
  using Out = std::conditional_t<std::is_integral_v<T>, int64_t, T>;

  double divisor;

  State start() const { return State(0); }
  State step(State state, Compute<T> element, int64_t) const {
    return state + static_cast<State>(element);
  }
  State merge(State a, State b) const { return a + b; }
  State run(const T* elements, int64_t count) const requires std::is_same_v<T, float> {
    return sum_floats(elements, count);
  }
  Out finish(State state) const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<int64_t>(state);
    } else if constexpr (is_complex_element<T>) {
      // By parts: a complex quotient would turn infinity into NaN.
      return convert<Out>(State(state.real() / divisor, state.imag() / divisor));
    } else {
      return convert<Out>(state / divisor);
    }
  }
};

Tensor sum_dim(const Tensor& self, std::optional<Sizes> dim, bool keepdim,
               std::optional<Dtype> dtype) {
  Reduction plan("aten::sum.dim_IntList");
  plan.input(self, dim);
  plan.finish(sum_dtype(dtype_of_info(plan.input_info()), dtype), keepdim);
  sum_into_result(plan, self, 1.0);
  return plan.take_result();
}

Tensor sum(const Tensor& self, std::optional<Dtype> dtype) {
  return sum_dim(self, std::nullopt, false, dtype);
}

}  // namespace

void sum_into_result(Reduction& plan, const Tensor& self, double divisor) {
  const Dtype result = dtype_of_info(plan.result_info());
  const Dtype own = dtype_of_info(plan.input_info());
  using Integers = Joined<BoolType, IntegerTypes>;
  if (result == Dtype::I64 && contains(Integers(), own)) {
    // Read as they are: no wide copy of a narrow tensor.
    visit(plan.op(), "self", own, Integers(), [&]<class T>(Element<T>) {
      plan.walk_over(plan.input_info(), false);
      reduce<8>(plan, Sum<T>{divisor});
    });
    return;
  }
  const Tensor cast_input = own == result ? Tensor() : as_dtype(self, result);
  const tenon_tensor_info input = cast_input ? cast_input.info() : plan.input_info();
  plan.walk_over(input, false);
  if (contains(Integers(), result)) {
    // Sums of bools and narrow integers, in int64 and then cut to the result's width.
    const Tensor wide = Tensor::empty(sizes_of(plan.result_info()), Dtype::I64);
    Reduction sums(plan.op());
    sums.reuse(plan, wide);
    sums.walk_over(input, false);
    visit(plan.op(), "dtype", result, Integers(),
          [&]<class T>(Element<T>) { reduce<8>(sums, Sum<T>{divisor}); });
    cast(plan.result_info(), wide.info());
    return;
  }
  visit(plan.op(), "self", result, FloatAndComplexTypes(),
        [&]<class T>(Element<T>) { reduce<8>(plan, Sum<T>{divisor}); });
}

void register_sum(Library& aten) {
  aten.impl("sum", TENON_KEY_CPU, &sum, quick("cpu::sum", kQuickNumel));
  aten.impl("sum.dim_IntList", TENON_KEY_CPU, &sum_dim, quick("cpu::sum_dim", kQuickNumel));
}

}  // namespace tenon::kernels::cpu
