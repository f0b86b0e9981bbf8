// SPDX-License-Identifier: Apache-2.0
// aten::repeat and what is like it.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Repeat, AnswersAsPyTorch) { replay("repeat", 33); }

}  // namespace
}  // namespace tenon::tests
