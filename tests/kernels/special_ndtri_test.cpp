// SPDX-License-Identifier: Apache-2.0
// aten::special_ndtri and its like.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(SpecialNdtri, AnswersAsPyTorch) { replay("special_ndtri", 30); }

}  // namespace
}  // namespace tenon::tests
