// SPDX-License-Identifier: Apache-2.0
// aten::item.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Item, MetaTensor_IsDataDependent) {
  EXPECT_EQ(error_of([] { Op("aten::item")(meta({1})); }).code(), TENON_ERROR_DATA_DEPENDENT);
}

}  // namespace
}  // namespace tenon::tests
