// SPDX-License-Identifier: Apache-2.0
// aten::rrelu_with_noise_functional on the CPU. It draws the same numbers as PyTorch: two of 32
// bits for each element that is not positive, in row-major order.
#include "kernels/ops/activation/rrelu.h"

#include "kernels/cpu/loops/row_major.h"
#include "kernels/cpu/random/random.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {
namespace {

// Handles one row. Small floats are computed as float and rounded once.
template <class C>
void scale_by_mean(const ops::RandomSlopes& slopes, const C* self, C* result, int64_t count) {
  const auto slope = static_cast<C>((slopes.lower + slopes.upper) / 2);
  for (int64_t k = 0; k < count; ++k) result[k] = self[k] > 0 ? self[k] : self[k] * slope;
}

template <class C>
void scale_by_draws(const ops::RandomSlopes& slopes, const Generator& generator, const C* self,
                    C* result, C* noise, int64_t count) {
  const double lower = static_cast<C>(slopes.lower), upper = static_cast<C>(slopes.upper);
  int64_t scaled = 0;
  for (int64_t k = 0; k < count; ++k) scaled += self[k] <= 0 ? 1 : 0;
  Draws<uint32_t> draws(generator, 2 * scaled);
  for (int64_t k = 0; k < count; ++k) {
    noise[k] = 1;
    if (self[k] <= 0) {
      noise[k] =
          static_cast<C>(unit_uniform<double>(draws.take(2).data()) * (upper - lower) + lower);
    }
    result[k] = self[k] * noise[k];
  }
}

void rrelu_with_noise(const Call& call) {
  ops::RandomSlopes slopes = ops::random_slopes_of(call);
  const Dtype dtype = wide_of(slopes.result.dtype());
  const int64_t count = slopes.result.numel();
  const RowMajor self(call.get<Tensor>(0)->info(), dtype);
  RowMajorResult result(slopes.result.info(), dtype), noise(slopes.noise.info(), dtype);
  visit(call.op(), "self", dtype, ElementTypes<float, double>(), [&]<class C>(Element<C>) {
    const C* const from = self.data<C>();
    if (!slopes.draws) return scale_by_mean<C>(slopes, from, result.data<C>(), count);
    scale_by_draws<C>(slopes, generator_for(call.op(), call.get<std::optional<Generator>>(5)), from,
                      result.data<C>(), noise.data<C>(), count);
  });
  result.finish();
  if (slopes.draws) {
    noise.finish();
  } else {
    cast(slopes.noise.info(), call.get<Tensor>(1)->info());
  }
  call.give(0, std::move(slopes.result));
  call.give(1, std::move(slopes.noise));
}

}  // namespace

Operator operator_kRreluWithNoiseFunctional() {
  return routine_of<ops::kRreluWithNoiseFunctional, &rrelu_with_noise>();
}

}  // namespace tenon::kernels::cpu
