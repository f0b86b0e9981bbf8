// SPDX-License-Identifier: Apache-2.0
// aten::amax.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Amax, AnswersAsPyTorch) { replay("amax", 80); }

TEST(Amax, NoElements_AreAnIndexError) {
  EXPECT_EQ(error_of([] {
              call("aten::amax", Tensor::empty(Ints{0, 3}, Dtype::F32), Ints{0});
            }).code(),
            TENON_ERROR_INDEX);
  EXPECT_EQ(sizes(call("aten::amax", Tensor::empty(Ints{0, 3}, Dtype::F32), Ints{1})), (Ints{0}));
}

}  // namespace
}  // namespace tenon::tests
