// SPDX-License-Identifier: Apache-2.0
// aten::index_select and its gradient.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(IndexSelect, AnswersAsPyTorch) { replay("index_select", 30); }

}  // namespace
}  // namespace tenon::tests
