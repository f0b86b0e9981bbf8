// SPDX-License-Identifier: Apache-2.0
// aten::deg2rad and aten::rad2deg.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Deg2rad, AnswersAsPyTorch) { replay("deg2rad", 20); }

}  // namespace
}  // namespace tenon::tests
