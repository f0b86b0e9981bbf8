// SPDX-License-Identifier: Apache-2.0
// aten::mse_loss, aten::l1_loss, aten::smooth_l1_loss and aten::huber_loss.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

constexpr const char* kLosses[] = {"aten::mse_loss", "aten::l1_loss", "aten::smooth_l1_loss",
                                   "aten::huber_loss"};

TEST(MseLoss, ReductionThatIsNone_IsRefused) {
  for (const char* op : kLosses) {
    for (const int reduction : {-1, 3}) {
      const Error error = error_of([&] { call(op, meta({2}), meta({2}), reduction); });
      EXPECT_EQ(error.code(), TENON_ERROR_INVALID_ARGUMENT) << op;
    }
  }
}

}  // namespace
}  // namespace tenon::tests
