// SPDX-License-Identifier: Apache-2.0
// aten::add.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Add, AnswersAsPyTorch) { replay("add", 490); }

TEST(Add, WrappedNumber_IsWeakestInPromotion) {
  const Tensor self = Tensor::from<int32_t>({1, 2}, {2});
  EXPECT_EQ(call("aten::add.Scalar", self, Scalar(2)).dtype(), Dtype::I32);
  EXPECT_EQ(call("aten::add.Scalar", self, Scalar(2.5)).dtype(), Dtype::F32);
}

TEST(Add, InPlace_ReturnsTheSameTensorAndBumpsItsVersion) {
  Tensor self = Tensor::from<float>({1, 2}, {2});
  const int64_t version = self.version();
  const Tensor result = call("aten::add_.Tensor", self, Tensor::from<float>({10, 20}, {2}));
  EXPECT_EQ(result.get(), self.get());
  EXPECT_EQ(elements(self), (Doubles{11, 22}));
  EXPECT_EQ(self.version(), version + 1);
}

TEST(Add, FailedCall_LeavesOutAsItWas) {
  Tensor out = Tensor::from<float>({7, 8}, {2});
  const Tensor self = Tensor::from<int32_t>({1, 2, 3}, {3});
  const Error error =
      error_of([&] { call("aten::add.out", self, self, kw("alpha", 0.5), kw("out", out)); });
  EXPECT_EQ(error.code(), TENON_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(elements(out), (Doubles{7, 8}));
}

TEST(Add, SizesThatDoNotBroadcast_AreNamed) {
  const Error error = error_of([] {
    call("aten::add.Tensor", Tensor::empty(Ints{2, 3}, Dtype::F32),
         Tensor::empty(Ints{4}, Dtype::F32));
  });
  EXPECT_EQ(std::string(error.what()),
            "aten::add.Tensor: sizes must broadcast, got [2, 3] and [4], which differ at dim 1");
}

TEST(Add, TensorsOnTwoDevices_AreRefused) {
  const Error error =
      error_of([] { call("aten::add.Tensor", meta({2}), Tensor::empty(Ints{2}, Dtype::F32)); });
  EXPECT_EQ(error.code(), TENON_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(std::string(error.what()),
            "aten::add.Tensor: other must be on meta like the other tensors, got cpu");
}

TEST(Add, TypedCall_GivesWhatTheBoxedCallGives) {
  const TypedOp<Tensor(const Tensor&, const Tensor&, const Scalar&)> add(
      Op("aten::add.Tensor").get());
  const Tensor self = Tensor::from<double>({1, 2}, {2});
  EXPECT_EQ(elements(add(self, self, Scalar(3))), (Doubles{4, 8}));
}

TEST(Add, LargeTensors_AreAddedThroughout) {
  const Tensor self = call("aten::arange", Scalar(100003), kw("dtype", Dtype::F32));
  const Tensor result = call("aten::add.Tensor", self, self);
  const std::vector<double> sums = elements(result);
  for (size_t i = 0; i < sums.size(); ++i) ASSERT_EQ(sums[i], 2.0 * static_cast<double>(i));
}

}  // namespace
}  // namespace tenon::tests
