// SPDX-License-Identifier: Apache-2.0
// aten::masked_scatter and its gradient.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(MaskedScatter, AnswersAsPyTorch) { replay("masked_scatter", 20); }

}  // namespace
}  // namespace tenon::tests
