// SPDX-License-Identifier: Apache-2.0
// aten::segment_reduce and its gradient.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(SegmentReduce, AnswersAsPyTorch) { replay("segment_reduce", 134); }

}  // namespace
}  // namespace tenon::tests
