// SPDX-License-Identifier: Apache-2.0
// aten::isin.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Isin, AnswersAsPyTorch) { replay("isin", 9); }

}  // namespace
}  // namespace tenon::tests
