// SPDX-License-Identifier: Apache-2.0
// aten::linspace.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Linspace, AnswersAsPyTorch) { replay("linspace", 29); }

}  // namespace
}  // namespace tenon::tests
