// SPDX-License-Identifier: Apache-2.0
// aten::sort and aten::argsort.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Sort, AnswersAsPyTorch) { replay("sort", 50); }

}  // namespace
}  // namespace tenon::tests
