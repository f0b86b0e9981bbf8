// SPDX-License-Identifier: Apache-2.0
// aten::upsample_nearest2d, its like and their gradients.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(UpsampleNearest, AnswersAsPyTorch) { replay("upsample_nearest", 59); }

}  // namespace
}  // namespace tenon::tests
