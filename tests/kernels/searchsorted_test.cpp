// SPDX-License-Identifier: Apache-2.0
// aten::searchsorted.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Searchsorted, AnswersAsPyTorch) { replay("searchsorted", 40); }

}  // namespace
}  // namespace tenon::tests
