// SPDX-License-Identifier: Apache-2.0
// aten::empty_strided.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(EmptyStrided, Strides_AreKept) {
  const Tensor result = call("aten::empty_strided", Ints{2, 3}, Ints{1, 4});
  EXPECT_EQ(sizes(result), (Ints{2, 3}));
  EXPECT_EQ(strides(result), (Ints{1, 4}));
  EXPECT_GE(tenon_storage_nbytes(tenon_tensor_storage(result.get())), 10 * 4);
}

TEST(EmptyStrided, CountsThatDiffer_AreRefused) {
  EXPECT_EQ(error_of([] {
              call("aten::empty_strided", Ints{2, 3}, Ints{1});
            }).code(),
            TENON_ERROR_INVALID_ARGUMENT);
}

TEST(EmptyStrided, NegativeStride_IsRefused) {
  EXPECT_EQ(error_of([] { call("aten::empty_strided", Ints{2}, Ints{-1}); }).code(),
            TENON_ERROR_INVALID_ARGUMENT);
}

TEST(EmptyStrided, MetaDevice_KeepsStrides) {
  const Tensor result = call("aten::empty_strided", Ints{2, 3}, Ints{3, 1},
                             kw("device", Device(TENON_DEVICE_META, 0)));
  EXPECT_EQ(result.device().type, TENON_DEVICE_META);
  EXPECT_EQ(strides(result), (Ints{3, 1}));
}

}  // namespace
}  // namespace tenon::tests
