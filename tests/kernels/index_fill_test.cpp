// SPDX-License-Identifier: Apache-2.0
// aten::index_fill.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(IndexFill, AnswersAsPyTorch) { replay("index_fill", 30); }

}  // namespace
}  // namespace tenon::tests
