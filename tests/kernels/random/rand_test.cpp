// SPDX-License-Identifier: Apache-2.0
// aten::rand.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Rand, WithoutGenerator_DrawsFromTheDefault) {
  manual_seed(7);
  const Tensor plain = call("aten::rand", Ints{3, 7});
  manual_seed(7);
  const Tensor none = call("aten::rand.generator", Ints{3, 7}, kw("generator", nullptr));
  const Tensor seeded = call("aten::rand.generator", Ints{3, 7}, kw("generator", Generator(7)));
  EXPECT_EQ(plain.dtype(), Dtype::F32);
  EXPECT_EQ(elements(plain), elements(seeded));
  EXPECT_EQ(elements(none), elements(seeded));
}

TEST(Rand, OnMeta_HasTheShapeOnly) {
  const Tensor result = call("aten::rand", Ints{3, 7}, kw("device", Device("meta")));
  EXPECT_EQ(sizes(result), (Ints{3, 7}));
  EXPECT_EQ(result.device(), Device("meta"));
}

}  // namespace
}  // namespace tenon::tests
