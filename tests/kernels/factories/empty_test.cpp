// SPDX-License-Identifier: Apache-2.0
// aten::empty.memory_format.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Empty, Defaults_AreTheDefaultDtypeOnTheCpu) {
  const Tensor result = call("aten::empty.memory_format", Ints{2, 3});
  EXPECT_EQ(result.dtype(), default_dtype());
  EXPECT_EQ(result.device().type, TENON_DEVICE_CPU);
  EXPECT_EQ(strides(result), (Ints{3, 1}));
}

TEST(Empty, ChannelsLast_LiesWithItsSecondDimInnermost) {
  const Tensor result = call("aten::empty.memory_format", Ints{2, 3, 4, 5},
                             kw("memory_format", MemoryFormat::ChannelsLast));
  EXPECT_EQ(strides(result), (Ints{60, 1, 15, 3}));
}

TEST(Empty, ChannelsLastOfTwoDims_IsRefused) {
  EXPECT_EQ(error_of([] {
              call("aten::empty.memory_format", Ints{2, 3},
                   kw("memory_format", MemoryFormat::ChannelsLast));
            }).code(),
            TENON_ERROR_INVALID_ARGUMENT);
}

TEST(Empty, NegativeSize_IsNamed) {
  const Error error = error_of([] { call("aten::empty.memory_format", Ints{2, -1}); });
  EXPECT_EQ(std::string(error.what()),
            "aten::empty.memory_format: size must have no negative size, got [2, -1]");
}

TEST(Empty, EveryDtype_IsAllocated) {
  for (tenon_dtype code = 0; code < 32; ++code) {
    if (tenon_dtype_size(code) == 0) continue;
    const auto dtype = static_cast<Dtype>(code);
    const Tensor result = call("aten::empty.memory_format", Ints{3}, kw("dtype", dtype));
    EXPECT_EQ(result.dtype(), dtype);
    EXPECT_NE(result.raw_data(), nullptr);
  }
}

TEST(Empty, MetaDevice_AllocatesNothing) {
  const Tensor result = call("aten::empty.memory_format", Ints{int64_t{1} << 40},
                             kw("device", Device(TENON_DEVICE_META, 0)));
  EXPECT_EQ(result.device().type, TENON_DEVICE_META);
  EXPECT_EQ(result.info().data, nullptr);
}

TEST(Empty, OutForm_GivesTheSizes) {
  const Tensor out = Tensor::empty(Ints{2}, Dtype::I16);
  EXPECT_EQ(call("aten::empty.out", Ints{3, 4}, kw("out", out)).get(), out.get());
  EXPECT_EQ(sizes(out), (Ints{3, 4}));
  EXPECT_EQ(out.dtype(), Dtype::I16);
}

}  // namespace
}  // namespace tenon::tests
