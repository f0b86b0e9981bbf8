// SPDX-License-Identifier: Apache-2.0
// aten::affine_grid_generator and its gradient.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(AffineGridGenerator, AnswersAsPyTorch) { replay("affine_grid_generator", 35); }

}  // namespace
}  // namespace tenon::tests
