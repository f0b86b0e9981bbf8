// SPDX-License-Identifier: Apache-2.0
// aten::constant_pad_nd and aten::pad.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Pad, AnswersAsPyTorch) { replay("pad", 35); }

}  // namespace
}  // namespace tenon::tests
