// SPDX-License-Identifier: Apache-2.0
// aten::_fft_c2c and aten::_fft_r2c and its like.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Fft, AnswersAsPyTorch) { replay("fft", 140); }

}  // namespace
}  // namespace tenon::tests
