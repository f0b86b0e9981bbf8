// SPDX-License-Identifier: Apache-2.0
// aten::linalg_vector_norm and aten::norm.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(VectorNorm, AnswersAsPyTorch) { replay("vector_norm", 40); }

}  // namespace
}  // namespace tenon::tests
