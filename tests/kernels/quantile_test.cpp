// SPDX-License-Identifier: Apache-2.0
// aten::quantile and aten::nanquantile.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Quantile, AnswersAsPyTorch) { replay("quantile", 20); }

}  // namespace
}  // namespace tenon::tests
