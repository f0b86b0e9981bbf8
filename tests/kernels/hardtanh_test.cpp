// SPDX-License-Identifier: Apache-2.0
// aten::hardtanh and what is like it.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Hardtanh, AnswersAsPyTorch) { replay("hardtanh", 36); }

}  // namespace
}  // namespace tenon::tests
