// SPDX-License-Identifier: Apache-2.0
// Random distributions on the CPU. They draw the same numbers as PyTorch, in the order of memory.
// Each element is computed in double, from two numbers of 32 bits or from a normal sample.
#include "kernels/ops/random/distributions.h"

#include <cmath>

#include "kernels/cpu/loops/convert.h"
#include "kernels/cpu/loops/loops.h"
#include "kernels/cpu/random/random.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {
namespace {

constexpr double kPi = 3.14159265358979323846;

// Sets each element to `make(u)`, where u is a uniform number in [0, 1) or a normal sample.
template <class T, class Drawn, class Make>
void draw_each(const Call& call, const tenon_tensor_info& self, int source, const Make& make) {
  const Generator generator = generator_for(call.op(), call.get<std::optional<Generator>>(source));
  constexpr int64_t kEach = std::is_same_v<Drawn, uint32_t> ? 2 : 1;
  const Walk walk = walk_in_memory_order(self);
  Draws<Drawn> draws(generator, self.numel * kEach);
  char* base = walk.data(0);
  walk.rows<1>(&base, [&](char* const* data) {
    const int64_t stride = walk.stride(0, 0), count = walk.size(0);
    for (int64_t i = 0; i < count;) {
      const auto drawn = draws.take((count - i) * kEach);
      const auto taken = static_cast<int64_t>(drawn.size()) / kEach;
      for (int64_t k = 0; k < taken; ++k) {
        double number;
        if constexpr (kEach == 2) {
          number = make(unit_uniform<double>(drawn.data() + k * kEach));
        } else {
          number = make(drawn[static_cast<size_t>(k)]);
        }
        if constexpr (std::is_integral_v<T>) {
          store<T>(data[0] + (i + k) * stride, convert<T>(number));
        } else {
          store<T>(data[0] + (i + k) * stride, number);
        }
      }
      i += taken;
    }
  });
}

template <class Drawn, class Types, class Make>
void draw_all(const Call& call, Types types, int source, const Make& make) {
  ops::check_distribution(call);
  const tenon_tensor_info self = call.get<Tensor>(0)->info();
  visit(call.op(), "self", dtype_of_info(self), types,
        [&]<class T>(Element<T>) { draw_each<T, Drawn>(call, self, source, make); });
}

void exponential(const Call& call) {
  const auto rate = call.get<double>(1);
  draw_all<uint32_t>(call, FloatTypes(), 2, [=](double u) { return -1 / rate * std::log1p(-u); });
}

void cauchy(const Call& call) {
  const auto median = call.get<double>(1), sigma = call.get<double>(2);
  draw_all<uint32_t>(call, FloatTypes(), 3,
                     [=](double u) { return median + sigma * std::tan(kPi * (u - 0.5)); });
}

void geometric(const Call& call) {
  const double each = std::log1p(-call.get<double>(1));
  draw_all<uint32_t>(call, RealTypes(), 2, [=](double u) { return std::ceil(std::log(u) / each); });
}

void log_normal(const Call& call) {
  const auto mean = call.get<double>(1), deviation = call.get<double>(2);
  draw_all<double>(call, FloatTypes(), 3,
                   [=](double sample) { return std::exp(mean + deviation * sample); });
}

}  // namespace

Operator operator_kExponentialInPlace() {
  return routine_of<ops::kExponentialInPlace, &exponential>();
}
Operator operator_kCauchyInPlace() { return routine_of<ops::kCauchyInPlace, &cauchy>(); }
Operator operator_kGeometricInPlace() { return routine_of<ops::kGeometricInPlace, &geometric>(); }
Operator operator_kLogNormalInPlace() { return routine_of<ops::kLogNormalInPlace, &log_normal>(); }

}  // namespace tenon::kernels::cpu
