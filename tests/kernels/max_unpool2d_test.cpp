// SPDX-License-Identifier: Apache-2.0
// aten::max_unpool2d and aten::max_unpool3d.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(MaxUnpool2d, AnswersAsPyTorch) { replay("max_unpool2d", 41); }

}  // namespace
}  // namespace tenon::tests
