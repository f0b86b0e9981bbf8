// SPDX-License-Identifier: Apache-2.0
// aten::cat.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Cat, EmptyList_IsAnErrorThatNamesTheOperator) {
  const Error error = error_of([] { call("aten::cat", std::vector<Tensor>{}); });
  EXPECT_NE(std::string(error.what()).find("aten::cat"), std::string::npos);
}

TEST(Cat, MetaTensors_GiveTheSizes) {
  const std::vector<Tensor> list{meta({2, 3}), meta({4, 3}, Dtype::F64)};
  const Tensor result = call("aten::cat", list);
  EXPECT_EQ(sizes(result), (Ints{6, 3}));
  EXPECT_EQ(result.dtype(), Dtype::F64);
}

}  // namespace
}  // namespace tenon::tests
