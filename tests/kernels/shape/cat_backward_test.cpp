// SPDX-License-Identifier: Apache-2.0
// tenon::cat_backward.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

Value lists(const std::vector<Ints>& lists) {
  std::vector<tenon_value> values;
  for (const Ints& one : lists) {
    values.push_back(tenon_value_of_ints(one.data(), static_cast<uint32_t>(one.size())));
  }
  return Value(TENON_TAG_LIST, values.data(), values.size());
}

TEST(CatBackward, Parts_AreThoseOfTheTensors) {
  const Tensor grad = Tensor::from<float>({1, 2, 3, 4, 5, 6}, {2, 3});
  const Value parts = Op("tenon::cat_backward")(grad, lists({{2, 1}, {2, 2}}), -1).at(0);
  ASSERT_EQ(parts.tensors().size(), 2);
  EXPECT_EQ(elements(*parts.tensors()[0]), (Doubles{1, 4}));
  EXPECT_EQ(elements(*parts.tensors()[1]), (Doubles{2, 3, 5, 6}));
}

TEST(CatBackward, EmptyVector_HasAGradientOfItsSizes) {
  const Tensor grad = Tensor::from<float>({1, 2}, {2, 1});
  const Value parts = Op("tenon::cat_backward")(grad, lists({{0}, {2, 1}}), 1).at(0);
  ASSERT_EQ(parts.tensors().size(), 2);
  EXPECT_EQ(sizes(*parts.tensors()[0]), (Ints{0}));
  EXPECT_EQ(elements(*parts.tensors()[1]), (Doubles{1, 2}));
}

}  // namespace
}  // namespace tenon::tests
