// SPDX-License-Identifier: Apache-2.0
// aten::leaky_relu.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(LeakyRelu, AnswersAsPyTorch) { replay("leaky_relu", 33); }

}  // namespace
}  // namespace tenon::tests
