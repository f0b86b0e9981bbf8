// SPDX-License-Identifier: Apache-2.0
// aten::trace.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Trace, AnswersAsPyTorch) { replay("trace", 4); }

}  // namespace
}  // namespace tenon::tests
