// SPDX-License-Identifier: Apache-2.0
// aten::put.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Put, AnswersAsPyTorch) { replay("put", 30); }

}  // namespace
}  // namespace tenon::tests
