// SPDX-License-Identifier: Apache-2.0
// aten::index_copy.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(IndexCopy, AnswersAsPyTorch) { replay("index_copy", 20); }

}  // namespace
}  // namespace tenon::tests
