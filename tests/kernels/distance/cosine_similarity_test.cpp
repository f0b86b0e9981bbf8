// SPDX-License-Identifier: Apache-2.0
// aten::cosine_similarity, aten::pairwise_distance and aten::bilinear.
#include <cmath>

#include "kernels/golden.h"

namespace tenon::tests {
namespace {

// (3, 4) and (5, 5), not (3, 4) and 5.
TEST(CosineSimilarity, VectorThatIsStretched_IsAsLongAsTheOther) {
  const Tensor result = call("aten::cosine_similarity", Tensor::from<float>({3, 4}, {2, 1}),
                             Tensor::from<float>({5}, {1, 1}), 0, 1e-8);
  EXPECT_NEAR(elements(result)[0], 7 / (5 * std::sqrt(2.0)), 1e-6);
}

}  // namespace
}  // namespace tenon::tests
