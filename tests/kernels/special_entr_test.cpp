// SPDX-License-Identifier: Apache-2.0
// aten::special_entr.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(SpecialEntr, AnswersAsPyTorch) { replay("special_entr", 8); }

}  // namespace
}  // namespace tenon::tests
