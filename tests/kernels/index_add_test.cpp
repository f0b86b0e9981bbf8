// SPDX-License-Identifier: Apache-2.0
// aten::index_add.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(IndexAdd, AnswersAsPyTorch) { replay("index_add", 40); }

}  // namespace
}  // namespace tenon::tests
