// SPDX-License-Identifier: Apache-2.0
// Elementary functions of float64, compared with the C library in long double: special values, the
// error in units in the last place over all magnitudes, and near and far angles in one tensor.
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/golden.h"

namespace tenon::tests {
namespace {

std::vector<double> answers(const char* name, const std::vector<double>& inputs) {
  const Tensor self = Tensor::from<double>(inputs, Ints{static_cast<int64_t>(inputs.size())});
  const Tensor result = call(std::string("aten::") + name, self);
  return {result.data<double>(), result.data<double>() + inputs.size()};
}

struct DoubleFunction {
  const char* name;
  long double (*exact)(long double);
  double ulps;
};

class DoubleMaths : public testing::TestWithParam<DoubleFunction> {
 protected:
  void expect_near(const std::vector<double>& inputs) const {
    const std::vector<double> got = answers(GetParam().name, inputs);
    for (size_t i = 0; i < inputs.size(); ++i) {
      const long double exact = GetParam().exact(inputs[i]);
      const auto rounded = static_cast<double>(exact);
      if (std::isnan(exact) || std::isinf(rounded)) {
        EXPECT_TRUE(std::isnan(exact) ? std::isnan(got[i]) : got[i] == rounded) << inputs[i];
        continue;
      }
      const double size = std::fabs(rounded);
      const double unit = std::nextafter(size, std::numeric_limits<double>::infinity()) - size;
      const auto error = static_cast<double>(std::fabs(static_cast<long double>(got[i]) - exact));
      ASSERT_LE(error, GetParam().ulps * unit) << inputs[i];
    }
  }
};

TEST_P(DoubleMaths, AllMagnitudes_AreNearTheExactValue) {
  std::vector<double> inputs;
  for (uint64_t bits = 0; bits < 0x7FF0000000000000; bits += 0x0001D3A91B7F23C5) {
    double x;
    std::memcpy(&x, &bits, sizeof x);
    inputs.push_back(x);
    inputs.push_back(-x);
  }
  expect_near(inputs);
}

TEST_P(DoubleMaths, UsualMagnitudes_AreNearTheExactValue) {
  std::vector<double> inputs;
  for (double x = 1e-5; x < 2e6; x *= 1.0001237) {
    inputs.push_back(x);
    inputs.push_back(-x);
  }
  expect_near(inputs);
}

TEST_P(DoubleMaths, SpecialValues_AreThoseOfC) {
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<double> inputs = {0.0, -0.0, inf, -inf, std::nan(""), 5e-324, -5e-324};
  const std::vector<double> got = answers(GetParam().name, inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const auto exact = static_cast<double>(GetParam().exact(inputs[i]));
    EXPECT_TRUE(std::isnan(exact) ? std::isnan(got[i])
                                  : got[i] == exact && std::signbit(got[i]) == std::signbit(exact))
        << GetParam().name << " of " << inputs[i] << " is " << got[i];
  }
}

INSTANTIATE_TEST_SUITE_P(
    Functions, DoubleMaths,
    testing::Values(DoubleFunction{"exp", std::exp, 2}, DoubleFunction{"log", std::log, 1.5},
                    DoubleFunction{"erf", std::erf, 3}, DoubleFunction{"tanh", std::tanh, 3},
                    DoubleFunction{"sin", std::sin, 2}, DoubleFunction{"cos", std::cos, 2}),
    [](const auto& info) { return std::string(info.param.name); });

// The vector loop skips large angles, which the C library computes.
TEST(DoubleMaths, AngleFarFromZero_IsThatOfCAndLeavesItsNeighboursAlone) {
  std::vector<double> inputs(1000);
  for (size_t i = 0; i < inputs.size(); ++i) inputs[i] = 0.37 * static_cast<double>(i);
  for (const char* name : {"sin", "cos"}) {
    std::vector<double> expected = answers(name, inputs);
    std::vector<double> with_far = inputs;
    for (const size_t far : {size_t{300}, size_t{999}}) {
      with_far[far] = 1e22;
      expected[far] = name[0] == 's' ? std::sin(1e22) : std::cos(1e22);
    }
    EXPECT_EQ(answers(name, with_far), expected) << name;
  }
}

}  // namespace
}  // namespace tenon::tests
