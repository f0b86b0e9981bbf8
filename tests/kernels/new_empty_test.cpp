// SPDX-License-Identifier: Apache-2.0
// aten::new_empty and what is like it.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(NewEmpty, AnswersAsPyTorch) { replay("new_empty", 6); }

}  // namespace
}  // namespace tenon::tests
