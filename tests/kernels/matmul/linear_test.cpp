// SPDX-License-Identifier: Apache-2.0
// aten::linear.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Linear, Batch_IsRowsTimesRowsOfTheWeightPlusBias) {
  const Tensor input = Tensor::from<float>({1, 2, 3, 4}, {2, 1, 2});
  const Tensor weight = Tensor::from<float>({1, 10, 100, 1000}, {2, 2});
  const Tensor bias = Tensor::from<float>({5, 6}, {2});
  const Tensor result = call("aten::linear", input, weight, bias);
  EXPECT_EQ(result.ndim(), 3);
  EXPECT_EQ(elements(result), (Doubles{26, 2106, 48, 4306}));
}

TEST(Linear, VectorOfWeight_DropsTheDim) {
  const Tensor input = Tensor::from<float>({1, 2, 3, 4}, {2, 2});
  const Tensor weight = Tensor::from<float>({1, 10}, {2});
  EXPECT_EQ(elements(call("aten::linear", input, weight)), (Doubles{21, 43}));
}

TEST(Linear, NoRows_GivesNone) {
  const Tensor weight = Tensor::from<float>({1, 2, 3}, {1, 3});
  const Tensor result = call("aten::linear", Tensor::from<float>({}, {0, 3}), weight);
  EXPECT_EQ(result.sizes()[0], 0);
  EXPECT_EQ(result.sizes()[1], 1);
}

TEST(Linear, BiasOfOtherDtype_IsRefused) {
  const Error error = error_of([] {
    call("aten::linear", meta({1, 2}), meta({3, 2}), meta({3}, Dtype::F64));
  });
  EXPECT_EQ(error.code(), TENON_ERROR_INVALID_ARGUMENT);
  EXPECT_NE(std::string(error.what()).find("bias"), std::string::npos);
}

TEST(Linear, WeightOfThreeDims_IsRefused) {
  const Error error = error_of([] { call("aten::linear", meta({1, 2}), meta({1, 3, 2})); });
  EXPECT_EQ(error.code(), TENON_ERROR_INVALID_ARGUMENT);
}

TEST(Linear, OutThatIsAFactorOfOtherSizes_IsReadAsItWas) {
  const Tensor column = call("aten::clone", Tensor::from<float>({1, 2}, {2, 1}));
  call("aten::linear.out", column, column, kw("out", column));
  EXPECT_EQ(elements(column), (Doubles{1, 2, 2, 4}));
}

}  // namespace
}  // namespace tenon::tests
