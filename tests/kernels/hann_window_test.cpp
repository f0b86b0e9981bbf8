// SPDX-License-Identifier: Apache-2.0
// aten::hann_window and other windows.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(HannWindow, AnswersAsPyTorch) { replay("hann_window", 174); }

}  // namespace
}  // namespace tenon::tests
