// SPDX-License-Identifier: Apache-2.0
// aten::add.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

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

// A call never writes to elements outside of the view that is passed as `out`.
TEST(Add, OutThatIsAView_IsNotResizedOverOthers) {
  const Tensor base = call("aten::full", Ints{2000}, Scalar(3.0), kw("dtype", Dtype::F32));
  const Tensor self = base.alias(Ints{3000}, Ints{0}, 0);
  Tensor out = base.alias(Ints{1}, Ints{1}, 10);
  const Error error = error_of([&] { call("aten::add.out", self, self, kw("out", out)); });
  EXPECT_EQ(error.code(), TENON_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(
      std::string(error.what()),
      "aten::add.out: out must have sizes [3000], since a view cannot be resized over elements "
      "outside of it, got [1]");
  EXPECT_EQ(elements(base), Doubles(2000, 3.0));
  EXPECT_EQ(sizes(out), Ints{1});
}

TEST(Add, OutThatIsAViewWithoutGaps_MayShrinkAndGrowAtTheEnd) {
  const Tensor base = call("aten::full", Ints{8}, Scalar(3.0), kw("dtype", Dtype::F32));
  const Tensor two = call("aten::full", Ints{2}, Scalar(1.0), kw("dtype", Dtype::F32));
  Tensor shrinks = base.alias(Ints{4}, Ints{1}, 2);
  call("aten::add.out", two, two, kw("out", shrinks));
  EXPECT_EQ(elements(base), (Doubles{3, 3, 2, 2, 3, 3, 3, 3}));
  Tensor grows = base.alias(Ints{1}, Ints{1}, 7);
  call("aten::add.out", two, two, kw("out", grows));
  EXPECT_EQ(elements(grows), (Doubles{2, 2}));
  EXPECT_EQ(elements(base), (Doubles{3, 3, 2, 2, 3, 3, 3, 2}));
  Tensor gaps = base.alias(Ints{2}, Ints{2}, 0);
  const Tensor one = call("aten::full", Ints{1}, Scalar(1.0), kw("dtype", Dtype::F32));
  EXPECT_EQ(error_of([&] { call("aten::add.out", one, one, kw("out", gaps)); }).code(),
            TENON_ERROR_INVALID_ARGUMENT);
}

TEST(Add, OutThatGrowsOverAnInput_IsRefused) {
  const Tensor base = Tensor::from<float>({1, 2, 3, 4, 5, 6}, {6});
  const Tensor self = base.alias(Ints{3}, Ints{1}, 3);
  Tensor out = base.alias(Ints{1}, Ints{1}, 2);
  const Error error = error_of([&] { call("aten::add.out", self, self, kw("out", out)); });
  EXPECT_EQ(error.code(), TENON_ERROR_INVALID_ARGUMENT);
  EXPECT_NE(std::string(error.what()).find("must not partially overlap an input"),
            std::string::npos);
  EXPECT_EQ(elements(base), (Doubles{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(sizes(out), Ints{1});  // refused before it was resized
}

Tensor strided(const Ints& sizes, const Ints& strides, Dtype dtype) {
  Tensor tensor = Tensor::empty(sizes, dtype, tenon::Device(), strides);
  const int64_t nbytes = tenon_storage_nbytes(tenon_tensor_storage(tensor.get()));
  std::fill_n(static_cast<char*>(tensor.raw_data()), nbytes, char{0});
  return tensor;
}

// Strides are computed after the cast; those of dims of size 1 are PyTorch 2.15's.
TEST(Add, StridesOfMixedDtypes_AreAsPyTorchs) {
  const auto strides_of_sum = [](const Tensor& a, const Tensor& b) {
    return strides(call("aten::add.Tensor", a, b));
  };
  EXPECT_EQ(
      strides_of_sum(strided({2, 1}, {1, 1}, Dtype::F16), strided({2, 1}, {2, 4}, Dtype::I64)),
      (Ints{1, 1}));
  EXPECT_EQ(
      strides_of_sum(strided({1, 3}, {1, 2}, Dtype::I32), strided({1, 3}, {1, 1}, Dtype::I64)),
      (Ints{3, 1}));
  EXPECT_EQ(strides_of_sum(strided({4, 4, 1, 3}, {12, 3, 12, 1}, Dtype::F32),
                           strided({4, 4, 1, 3}, {0, 12, 6, 2}, Dtype::I64)),
            (Ints{12, 3, 3, 1}));
  EXPECT_EQ(
      strides_of_sum(strided({3, 2}, {1, 3}, Dtype::I32), strided({3, 2}, {1, 3}, Dtype::F32)),
      (Ints{1, 3}));
  EXPECT_EQ(strides_of_sum(strided({0, 1, 1}, {1, 1, 1}, Dtype::F64),
                           strided({1, 1}, {1, 1}, Dtype::F64)),
            (Ints{1, 0, 0}));
}

// Carriers reach a kernel only if the caller passes the wrong keys; they have no memory to read.
TEST(Add, CarrierBesideKeysWithoutOverride_IsRefused) {
  const Tensor self = Tensor::from<float>({1}, {1});
  tenon_tensor* handle = nullptr;
  tenon::check(tenon_carrier_new(&Scalar(3).value(), &handle));
  const Tensor carrier(handle);
  const auto add = Op("aten::add.Tensor").typed<Tensor(const Tensor&, const Tensor&, Scalar)>();
  const Error error = error_of([&] { add.redispatch(KeySet(self.keys()), self, carrier, 1); });
  EXPECT_EQ(error.code(), TENON_ERROR_TYPE);
  EXPECT_NE(
      std::string(error.what()).find("must not override operators while Override is excluded"),
      std::string::npos);
}

// One element and a row-major tensor, with the element passed in every possible way.
TEST(Add, OneElementBesideMany_IsAddedToEach) {
  const Tensor self = Tensor::from<float>({1, 2, 3, 4}, {2, 2});
  EXPECT_EQ(elements(call("aten::add.Tensor", self, Tensor::from<float>({10}, {}))),
            (Doubles{11, 12, 13, 14}));
  EXPECT_EQ(elements(call("aten::add.Tensor", self, Tensor::from<float>({10}, {1, 1}))),
            (Doubles{11, 12, 13, 14}));
  const Tensor wide = call("aten::add.Tensor", self, Tensor::from<double>({0.5}, {1}));
  EXPECT_EQ(wide.dtype(), Dtype::F64);
  EXPECT_EQ(elements(wide), (Doubles{1.5, 2.5, 3.5, 4.5}));
  const Tensor more_dims = call("aten::add.Tensor", self, Tensor::from<float>({1}, {1, 1, 1}));
  EXPECT_EQ(sizes(more_dims), (Ints{1, 2, 2}));
  const Tensor none =
      call("aten::add.Tensor", Tensor::empty(Ints{0}, Dtype::F32), Tensor::from<float>({1}, {1}));
  EXPECT_EQ(sizes(none), Ints{0});
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
