// SPDX-License-Identifier: Apache-2.0
// aten::hardsigmoid and what is like it.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Hardsigmoid, AnswersAsPyTorch) { replay("hardsigmoid", 65); }

}  // namespace
}  // namespace tenon::tests
