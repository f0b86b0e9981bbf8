// SPDX-License-Identifier: Apache-2.0
// aten::normal_.
#include <cmath>

#include "kernels/golden.h"

namespace tenon::tests {
namespace {

Tensor normal(const Tensor& self, const Generator& generator) {
  return call("aten::normal_", self, kw("generator", generator));
}

// Few elements are drawn in pairs, and the second sample of a pair is kept for the next call.
TEST(Normal, OddCounts_KeepTheSpare) {
  const Generator parts(7), whole(7);
  Doubles joined;
  for (const int64_t count : {1, 3, 1}) {
    const Doubles some = elements(normal(Tensor::empty(Ints{count}, Dtype::F64), parts));
    joined.insert(joined.end(), some.begin(), some.end());
  }
  EXPECT_EQ(joined, elements(normal(Tensor::empty(Ints{5}, Dtype::F64), whole)));
}

TEST(Normal, WithoutGenerator_DrawsFromTheDefault) {
  const Tensor first = Tensor::empty(Ints{20}, Dtype::F32),
               second = Tensor::empty(Ints{20}, Dtype::F32);
  manual_seed(7);
  call("aten::normal_", first);
  EXPECT_EQ(elements(first), elements(normal(second, Generator(7))));
}

// Each moment is within 4 standard errors: 60 000 samples for a fixed seed, drawn in blocks and in
// pairs.
TEST(Normal, Moments_AreThoseOfTheDistribution) {
  constexpr int64_t kCount = 60000;
  for (const bool gaps : {false, true}) {
    const Tensor base = Tensor::empty(Ints{kCount, 2}, Dtype::F32);
    const Tensor self =
        gaps ? call("aten::select.int", base, 1, 0) : Tensor::empty(Ints{kCount}, Dtype::F32);
    call("aten::normal_", self, -3.0, 2.0, kw("generator", Generator(7)));
    double sum = 0, squares = 0;
    for (const double sample : elements(self)) {
      sum += sample + 3.0;
      squares += (sample + 3.0) * (sample + 3.0);
    }
    const double n = static_cast<double>(kCount);
    EXPECT_LT(std::fabs(sum / n), 4 * 2 / std::sqrt(n));
    EXPECT_LT(std::fabs(squares / n - 4), 4 * 4 * std::sqrt(2 / n));
  }
}

TEST(Normal, NegativeStd_IsNamed) {
  const Tensor self = Tensor::empty(Ints{2}, Dtype::F32);
  const Error error = error_of([&] { call("aten::normal_", self, 0.0, -1.0); });
  EXPECT_STREQ(error.what(), "aten::normal_: std must be >= 0, got -1");
}

TEST(Normal, NegativeDeviation_IsRefused) {
  const Tensor mean = Tensor::from<float>({0, 0}, {2});
  const Tensor std = Tensor::from<float>({1, -0.5}, {2});
  const Error error = error_of([&] { call("aten::normal.Tensor_Tensor", mean, std); });
  EXPECT_EQ(std::string(error.what()),
            "aten::normal.Tensor_Tensor: std must be >= 0 in all elements, got -0.5");
}

TEST(Normal, MeansAndDeviations_Broadcast) {
  const Tensor mean = Tensor::from<double>({10, 20, 30}, {3});
  const Tensor none = Tensor::from<float>({0, 0}, {2, 1});
  const Tensor result = call("aten::normal.Tensor_Tensor", mean, none);
  EXPECT_EQ(result.dtype(), Dtype::F64);
  EXPECT_EQ(elements(result), (Doubles{10, 20, 30, 10, 20, 30}));
}

TEST(Normal, MetaDeviations_AreNotRead) {
  const Tensor result = call("aten::normal.float_Tensor", 1.0, meta({2, 2}, Dtype::F32));
  EXPECT_EQ(sizes(result), (Ints{2, 2}));
}

TEST(Normal, OutLargerThanTheMeans_IsFilled) {
  const Tensor out = Tensor::empty(Ints{2, 2}, Dtype::F32);
  Op("aten::normal.Tensor_float_out")(Tensor::from<float>({1, 2}, {2}), 0.0, kw("out", out));
  EXPECT_EQ(elements(out), (Doubles{1, 2, 1, 2}));
}

}  // namespace
}  // namespace tenon::tests
