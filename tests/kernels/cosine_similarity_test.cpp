// SPDX-License-Identifier: Apache-2.0
// aten::cosine_similarity, aten::pairwise_distance and aten::bilinear.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(CosineSimilarity, AnswersAsPyTorch) { replay("cosine_similarity", 14); }

}  // namespace
}  // namespace tenon::tests
