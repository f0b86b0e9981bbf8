// SPDX-License-Identifier: Apache-2.0
// aten::float_power.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(FloatPower, AnswersAsPyTorch) { replay("float_power", 10); }

}  // namespace
}  // namespace tenon::tests
