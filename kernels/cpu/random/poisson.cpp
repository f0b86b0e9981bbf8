// SPDX-License-Identifier: Apache-2.0
// aten::poisson on the CPU, with the same numbers as PyTorch: each count consumes a variable number
// of uniform doubles, in row-major order.
#include "kernels/ops/random/poisson.h"

#include <cmath>

#include "kernels/common/maths/special_maths.h"
#include "kernels/cpu/loops/loops.h"
#include "kernels/cpu/random/random.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {
namespace {

double drawn_uniform(const Generator& generator) {
  uint32_t numbers[2];
  generator.random(numbers);
  return unit_uniform<double>(numbers);
}

// Returns how many uniform numbers can be multiplied before the product drops to exp(-rate).
double count_by_products(double rate, const Generator& generator) {
  const double least = std::exp(-rate);
  double product = 1, count = 0;
  for (;; ++count) {
    product *= drawn_uniform(generator);
    if (!(product > least)) return count;
  }
}

// The transformed rejection method PTRS of W. Hormann, "The transformed rejection method for
// generating Poisson random variables" (Insurance: Mathematics and Economics 12, 1993), for rates
// of at least 10.
double count_by_rejection(double rate, const Generator& generator) {
  const double b = 0.931 + 2.53 * std::sqrt(rate);
  const double a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
  const double certain = 0.9277 - 3.6224 / (b - 2);
  const double log_rate = std::log(rate);
  for (;;) {
    const double u = drawn_uniform(generator) - 0.5;
    const double v = drawn_uniform(generator);
    const double us = 0.5 - std::fabs(u);
    const double count = std::floor((2 * a / us + b) * u + rate + 0.43);
    if (us >= 0.07 && v <= certain) return count;
    if (count < 0 || (us < 0.013 && v > us)) continue;
    const double height = std::log(v) + std::log(inverse_alpha) - std::log(a / (us * us) + b);
    if (height <= count * log_rate - rate - maths::lgamma(count + 1)) return count;
  }
}

double poisson_count(const Call& call, double rate, const Generator& generator) {
  if (!(rate >= 0 && std::isfinite(rate))) {
    fail_argument(call.op(), "self", "have finite elements >= 0", Scalar(rate));
  }
  if (rate >= 10) return count_by_rejection(rate, generator);
  return rate == 0 ? 0 : count_by_products(rate, generator);
}

void poisson(const Call& call) {
  Tensor result = poisson_result(call);
  const tenon_tensor_info self = call.get<Tensor>(0)->info(), info = result.info();
  const Generator generator = generator_for(call.op(), call.get<std::optional<Generator>>(1));
  int64_t perm[kMaxDims];
  row_major_order(info.ndim, perm);
  Walk walk;
  walk.begin(sizes_of(info), perm, 2);
  walk.set(0, info.data, size_of(dtype_of_info(info)), info.strides);
  walk.set(1, self.data, size_of(dtype_of_info(self)), self.strides);
  visit(call.op(), "self", dtype_of_info(self), FloatTypes(), [&]<class T>(Element<T>) {
    walk.steps<0, 2>(walk.raw_data(), [&](char* const* data) {
      const auto rate = static_cast<double>(load<T>(data[1]));
      store<T>(data[0], poisson_count(call, rate, generator));
    });
  });
  if (call.form.is_functional()) call.give(0, std::move(result));
}

}  // namespace

Operator operator_kPoisson() { return routine_of<ops::kPoisson, &poisson>(); }

}  // namespace tenon::kernels::cpu
