// SPDX-License-Identifier: Apache-2.0
// aten::_unique2 and aten::unique_dim.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Unique, AnswersAsPyTorch) { replay("unique", 10); }

}  // namespace
}  // namespace tenon::tests
