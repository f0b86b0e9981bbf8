// SPDX-License-Identifier: Apache-2.0
// aten::kthvalue and aten::median.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Kthvalue, AnswersAsPyTorch) { replay("kthvalue", 20); }

}  // namespace
}  // namespace tenon::tests
