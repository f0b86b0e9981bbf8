// SPDX-License-Identifier: Apache-2.0
// aten::nansum and aten::nanmean.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Nansum, AnswersAsPyTorch) { replay("nansum", 10); }

}  // namespace
}  // namespace tenon::tests
