// SPDX-License-Identifier: Apache-2.0
// aten::rrelu, aten::rrelu_with_noise and its gradient.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Rrelu, AnswersAsPyTorch) { replay("rrelu", 47); }

}  // namespace
}  // namespace tenon::tests
