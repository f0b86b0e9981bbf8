// SPDX-License-Identifier: Apache-2.0
// aten::upsample_bilinear2d, its like and their gradients.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(UpsampleLinear, AnswersAsPyTorch) { replay("upsample_linear", 59); }

}  // namespace
}  // namespace tenon::tests
