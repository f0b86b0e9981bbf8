// SPDX-License-Identifier: Apache-2.0
// aten::linalg_householder_product, aten::orgqr and aten::ormqr.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(LinalgHouseholderProduct, AnswersAsPyTorch) { replay("linalg_householder_product", 32); }

}  // namespace
}  // namespace tenon::tests
