// SPDX-License-Identifier: Apache-2.0
// Elementary functions of float32, compared with the C library in double: special values, and the
// error in units in the last place over all magnitudes.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/golden.h"

namespace tenon::tests {
namespace {

struct Function {
  const char* name;
  double (*exact)(double);
  double ulps;
  double least = 0;  // a smaller absolute error is also allowed
};

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

class FloatMaths : public testing::TestWithParam<Function> {
 protected:
  std::vector<float> answers(const std::vector<float>& inputs) const {
    const Tensor self = Tensor::from<float>(inputs, Ints{static_cast<int64_t>(inputs.size())});
    const Tensor result = call(std::string("aten::") + GetParam().name, self);
    return {result.data<float>(), result.data<float>() + inputs.size()};
  }
};

TEST_P(FloatMaths, AllMagnitudes_AreNearTheExactValue) {
  std::vector<float> inputs;
  for (uint32_t bits = 0; bits < 0x7F800000u; bits += 40009) {
    float x;
    std::memcpy(&x, &bits, sizeof x);
    inputs.push_back(x);
    inputs.push_back(-x);
  }
  const std::vector<float> got = answers(inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const double exact = GetParam().exact(inputs[i]);
    const auto rounded = static_cast<float>(exact);
    if (std::isnan(exact) || std::isinf(rounded)) {
      EXPECT_TRUE(std::isnan(exact) ? std::isnan(got[i]) : got[i] == rounded) << inputs[i];
      continue;
    }
    const float next = std::nextafter(std::fabs(rounded), std::numeric_limits<float>::infinity());
    const double unit = static_cast<double>(next) - std::fabs(static_cast<double>(rounded));
    const double near = std::max(GetParam().ulps * unit, GetParam().least);
    ASSERT_LE(std::fabs(static_cast<double>(got[i]) - exact), near) << inputs[i];
  }
}

TEST_P(FloatMaths, SpecialValues_AreThoseOfC) {
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> inputs = {0.0F, -0.0F, inf, -inf, std::nanf(""), 1e-45F, -1e-45F};
  const std::vector<float> got = answers(inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const auto exact = static_cast<float>(GetParam().exact(inputs[i]));
    EXPECT_TRUE(std::isnan(exact) ? std::isnan(got[i])
                                  : got[i] == exact && std::signbit(got[i]) == std::signbit(exact))
        << GetParam().name << " of " << inputs[i] << " is " << got[i];
  }
}

INSTANTIATE_TEST_SUITE_P(Functions, FloatMaths,
                         testing::Values(Function{"exp", std::exp, 2}, Function{"log", std::log, 4},
                                         Function{"tanh", std::tanh, 4},
                                         Function{"erf", std::erf, 2},
                                         // Its exp is infinite where the result would be subnormal.
                                         Function{"sigmoid", sigmoid, 4, 0x1p-126},
                                         Function{"sin", std::sin, 1},
                                         Function{"cos", std::cos, 1}),
                         [](const auto& info) { return std::string(info.param.name); });

// The power is computed in double and rounded once. It may miss the nearest float if the exact
// value is almost halfway between two floats.
TEST(FloatPow, PairsOfAllMagnitudes_AreNearTheExactValue) {
  const float inf = std::numeric_limits<float>::infinity();
  std::vector<float> numbers = {0.0F,
                                -0.0F,
                                1,
                                -1,
                                2,
                                -2,
                                3,
                                -3,
                                0.5F,
                                -0.5F,
                                1.5F,
                                -2.5F,
                                inf,
                                -inf,
                                std::nanf(""),
                                1e-45F,
                                -1e-45F,
                                3e38F,
                                0x1p24F,
                                -0x1p24F,
                                0x1p24F - 1,
                                1 + 0x1p-23F,
                                1 - 0x1p-24F,
                                126,
                                149.5F};
  for (uint32_t bits = 0x00000001u; bits < 0x7F800000u; bits += 0x00A13579u) {
    float x;
    std::memcpy(&x, &bits, sizeof x);
    numbers.push_back(x);
    numbers.push_back(-x);
  }
  std::vector<float> bases, exponents;
  for (const float base : numbers) {
    for (const float exponent : numbers) {
      bases.push_back(base);
      exponents.push_back(exponent);
    }
  }
  const Ints sizes{static_cast<int64_t>(bases.size())};
  const Tensor result = call("aten::pow.Tensor_Tensor", Tensor::from<float>(bases, sizes),
                             Tensor::from<float>(exponents, sizes));
  for (size_t i = 0; i < bases.size(); ++i) {
    const double exact = std::pow(double{bases[i]}, double{exponents[i]});
    const auto nearest = static_cast<float>(exact);
    const float got = result.data<float>()[i];
    const bool is_same = std::isnan(exact)
                             ? std::isnan(got)
                             : got == nearest && std::signbit(got) == std::signbit(nearest);
    const bool is_next = std::isfinite(nearest) && (got == std::nextafter(nearest, inf) ||
                                                    got == std::nextafter(nearest, -inf));
    ASSERT_TRUE(is_same || is_next)
        << bases[i] << " to the power of " << exponents[i] << " is " << got;
  }
}

}  // namespace
}  // namespace tenon::tests
