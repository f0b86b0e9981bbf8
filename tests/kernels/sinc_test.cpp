// SPDX-License-Identifier: Apache-2.0
// aten::sinc.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Sinc, AnswersAsPyTorch) { replay("sinc", 10); }

}  // namespace
}  // namespace tenon::tests
