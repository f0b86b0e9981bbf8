// SPDX-License-Identifier: Apache-2.0
// aten::grid_sampler_2d, aten::grid_sampler_3d and their gradients.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(GridSampler2d, AnswersAsPyTorch) { replay("grid_sampler_2d", 185); }

}  // namespace
}  // namespace tenon::tests
