// SPDX-License-Identifier: Apache-2.0
// aten::softplus and what is like it.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Softplus, AnswersAsPyTorch) { replay("softplus", 37); }

}  // namespace
}  // namespace tenon::tests
