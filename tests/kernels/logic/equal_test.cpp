// SPDX-License-Identifier: Apache-2.0
// aten::equal.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

bool equal(const Tensor& a, const Tensor& b) { return Op("aten::equal")(a, b)[0].to_bool(); }

TEST(Equal, ElementsAndSizes_Decide) {
  const Tensor a = Tensor::from<float>({1, 2, 3, 4}, {2, 2});
  EXPECT_TRUE(equal(a, Tensor::from<float>({1, 2, 3, 4}, {2, 2})));
  EXPECT_FALSE(equal(a, Tensor::from<float>({1, 2, 3, 5}, {2, 2})));
  EXPECT_FALSE(equal(a, Tensor::from<float>({1, 2, 3, 4}, {4})));
}

TEST(Equal, NoElements_AreEqual) {
  EXPECT_TRUE(equal(Tensor::from<float>({}, {0, 3}), Tensor::from<float>({}, {0, 3})));
}

TEST(Equal, OtherDtypes_AreRefused) {
  EXPECT_EQ(error_of([] { equal(meta({1}), meta({1}, Dtype::I64)); }).code(),
            TENON_ERROR_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace tenon::tests
