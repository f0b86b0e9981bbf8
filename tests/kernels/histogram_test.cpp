// SPDX-License-Identifier: Apache-2.0
// aten::histogram.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Histogram, AnswersAsPyTorch) { replay("histogram", 8); }

}  // namespace
}  // namespace tenon::tests
