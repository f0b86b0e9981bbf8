// SPDX-License-Identifier: Apache-2.0
// aten::pixel_shuffle, back, and aten::channel_shuffle.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(PixelShuffle, AnswersAsPyTorch) { replay("pixel_shuffle", 8); }

}  // namespace
}  // namespace tenon::tests
