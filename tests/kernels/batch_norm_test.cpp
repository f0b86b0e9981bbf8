// SPDX-License-Identifier: Apache-2.0
// aten::batch_norm, aten::instance_norm and the native forms of norms.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(BatchNorm, AnswersAsPyTorch) { replay("batch_norm", 27); }

}  // namespace
}  // namespace tenon::tests
