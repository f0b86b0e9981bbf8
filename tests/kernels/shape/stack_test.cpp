// SPDX-License-Identifier: Apache-2.0
// aten::stack.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Stack, EmptyList_IsAnErrorThatNamesTheOperator) {
  const Error error = error_of([] { call("aten::stack", std::vector<Tensor>{}); });
  EXPECT_EQ(std::string(error.what()),
            "aten::stack: tensors must be a list of at least one tensor, got an empty list");
}

}  // namespace
}  // namespace tenon::tests
