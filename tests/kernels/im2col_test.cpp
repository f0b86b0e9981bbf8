// SPDX-License-Identifier: Apache-2.0
// aten::im2col and aten::col2im.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Im2col, AnswersAsPyTorch) { replay("im2col", 25); }

}  // namespace
}  // namespace tenon::tests
