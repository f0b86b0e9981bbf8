// SPDX-License-Identifier: Apache-2.0
// aten::dropout and its like, where nothing or all is dropped.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Dropout, AnswersAsPyTorch) { replay("dropout", 21); }

}  // namespace
}  // namespace tenon::tests
