// SPDX-License-Identifier: Apache-2.0
// Results larger than 48 MiB, at any address and in place.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

// Not a multiple of a block or of a cache line.
constexpr int64_t kCount = (int64_t{52} << 20) / 4 + 13;

Tensor counted() { return call("aten::arange", Scalar(kCount), kw("dtype", Dtype::F32)); }

void expect_each(const Tensor& result, float factor, float term) {
  const float* data = result.data<float>();
  int64_t wrong = 0;
  for (int64_t i = 0; i < kCount; ++i) {
    if (data[i] != static_cast<float>(i) * factor + term) ++wrong;
  }
  EXPECT_EQ(wrong, 0);
}

TEST(Stream, LargeResult_HasEachElement) {
  const Tensor self = counted();
  expect_each(call("aten::add.Tensor", self, self), 2, 0);
  expect_each(call("aten::clone", self), 1, 0);
}

TEST(Stream, ResultAtAnyAddress_HasEachElementAndNoMore) {
  const Tensor self = counted();
  const Tensor room = call("aten::full", Ints{kCount + 2}, Scalar(-1.0), kw("dtype", Dtype::F32));
  const Tensor out = call("aten::slice.Tensor", room, int64_t{0}, int64_t{1}, kCount + 1);
  call("aten::add.out", self, self, kw("out", out));
  expect_each(out, 2, 0);
  call("aten::copy_", out, self);
  expect_each(out, 1, 0);
  EXPECT_EQ(room.data<float>()[0], -1);
  EXPECT_EQ(room.data<float>()[kCount + 1], -1);
}

TEST(Stream, InPlace_HasEachElement) {
  const Tensor self = counted();
  call("aten::add_.Tensor", self, self);
  expect_each(self, 2, 0);
}

}  // namespace
}  // namespace tenon::tests
