// SPDX-License-Identifier: Apache-2.0
// aten::mvlgamma and aten::special_multigammaln.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Mvlgamma, AnswersAsPyTorch) { replay("mvlgamma", 17); }

}  // namespace
}  // namespace tenon::tests
