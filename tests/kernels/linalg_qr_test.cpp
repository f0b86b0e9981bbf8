// SPDX-License-Identifier: Apache-2.0
// aten::linalg_qr.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(LinalgQr, AnswersAsPyTorch) { replay("linalg_qr", 9); }

}  // namespace
}  // namespace tenon::tests
