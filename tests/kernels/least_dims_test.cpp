// SPDX-License-Identifier: Apache-2.0
// aten::atleast_1d and what is like it.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(LeastDims, AnswersAsPyTorch) { replay("least_dims", 27); }

}  // namespace
}  // namespace tenon::tests
