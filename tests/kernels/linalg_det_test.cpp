// SPDX-License-Identifier: Apache-2.0
// aten::linalg_det and aten::linalg_slogdet.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(LinalgDet, AnswersAsPyTorch) { replay("linalg_det", 10); }

}  // namespace
}  // namespace tenon::tests
