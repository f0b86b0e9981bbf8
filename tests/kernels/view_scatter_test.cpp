// SPDX-License-Identifier: Apache-2.0
// aten::diagonal_scatter and what is like it.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(ViewScatter, AnswersAsPyTorch) { replay("view_scatter", 7); }

}  // namespace
}  // namespace tenon::tests
