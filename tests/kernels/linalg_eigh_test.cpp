// SPDX-License-Identifier: Apache-2.0
// aten::_linalg_eigh.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(LinalgEigh, AnswersAsPyTorch) { replay("linalg_eigh", 8); }

}  // namespace
}  // namespace tenon::tests
