// SPDX-License-Identifier: Apache-2.0
// aten::einsum.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Einsum, AnswersAsPyTorch) { replay("einsum", 20); }

}  // namespace
}  // namespace tenon::tests
