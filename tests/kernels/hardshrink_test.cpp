// SPDX-License-Identifier: Apache-2.0
// aten::hardshrink and what is like it.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Hardshrink, AnswersAsPyTorch) { replay("hardshrink", 65); }

}  // namespace
}  // namespace tenon::tests
