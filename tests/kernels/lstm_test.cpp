// SPDX-License-Identifier: Apache-2.0
// aten::lstm, aten::gru, the plain recurrent layers, and their cells.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Lstm, AnswersAsPyTorch) { replay("lstm", 22); }

}  // namespace
}  // namespace tenon::tests
