// SPDX-License-Identifier: Apache-2.0
// aten::index_reduce.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(IndexReduce, AnswersAsPyTorch) { replay("index_reduce", 100); }

}  // namespace
}  // namespace tenon::tests
