// SPDX-License-Identifier: Apache-2.0
// aten::meshgrid.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Meshgrid, AnswersAsPyTorch) { replay("meshgrid", 5); }

}  // namespace
}  // namespace tenon::tests
