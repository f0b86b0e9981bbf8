// SPDX-License-Identifier: Apache-2.0
// aten::vander and aten::linalg_vander.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Vander, AnswersAsPyTorch) { replay("vander", 5); }

}  // namespace
}  // namespace tenon::tests
