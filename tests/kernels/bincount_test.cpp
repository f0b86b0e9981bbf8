// SPDX-License-Identifier: Apache-2.0
// aten::bincount and what is like it.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Bincount, AnswersAsPyTorch) { replay("bincount", 19); }

}  // namespace
}  // namespace tenon::tests
