// SPDX-License-Identifier: Apache-2.0
// aten::randperm.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Randperm, AnswersAsPyTorch) { replay("randperm", 8); }

}  // namespace
}  // namespace tenon::tests
