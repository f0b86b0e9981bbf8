// SPDX-License-Identifier: Apache-2.0
// aten::elu and what is like it.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Elu, AnswersAsPyTorch) { replay("elu", 35); }

}  // namespace
}  // namespace tenon::tests
