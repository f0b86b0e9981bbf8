// SPDX-License-Identifier: Apache-2.0
// aten::nextafter.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Nextafter, AnswersAsPyTorch) { replay("nextafter", 5); }

}  // namespace
}  // namespace tenon::tests
