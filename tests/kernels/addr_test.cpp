// SPDX-License-Identifier: Apache-2.0
// aten::addr.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Addr, AnswersAsPyTorch) { replay("addr", 5); }

}  // namespace
}  // namespace tenon::tests
