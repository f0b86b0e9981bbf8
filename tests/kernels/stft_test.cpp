// SPDX-License-Identifier: Apache-2.0
// aten::stft and aten::istft.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Stft, AnswersAsPyTorch) { replay("stft", 64); }

}  // namespace
}  // namespace tenon::tests
