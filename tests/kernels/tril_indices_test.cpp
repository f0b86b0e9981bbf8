// SPDX-License-Identifier: Apache-2.0
// aten::tril_indices and aten::triu_indices.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(TrilIndices, AnswersAsPyTorch) { replay("tril_indices", 20); }

}  // namespace
}  // namespace tenon::tests
