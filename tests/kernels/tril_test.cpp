// SPDX-License-Identifier: Apache-2.0
// aten::tril and what is like it.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Tril, AnswersAsPyTorch) { replay("tril", 64); }

}  // namespace
}  // namespace tenon::tests
