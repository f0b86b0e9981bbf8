// SPDX-License-Identifier: Apache-2.0
// The in-place and copy variants of view operators.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

Tensor matrix() { return Tensor::from<float>({0, 1, 2, 3, 4, 5}, {2, 3}); }
int64_t version(const Tensor& tensor) { return tenon_tensor_version(tensor.get()); }

TEST(ViewForms, InPlace_ChangesTheTensorAndCountsAWrite) {
  const Tensor self = matrix();
  const Tensor view = call("aten::view", self, Ints{6});
  const Tensor result = call("aten::t_", self);
  EXPECT_EQ(result.get(), self.get());
  EXPECT_EQ(sizes(self), (Ints{3, 2}));
  EXPECT_EQ(strides(self), (Ints{1, 3}));
  EXPECT_EQ(elements(self), (Doubles{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(version(self), 1);
  EXPECT_EQ(version(view), 1);  // shared, as in PyTorch
  EXPECT_EQ(sizes(view), (Ints{6}));
}

TEST(ViewForms, AsStridedInPlace_MovesItsOffset) {
  const Tensor self = matrix();
  call("aten::as_strided_", self, Ints{2}, Ints{1}, 2);
  EXPECT_EQ(elements(self), (Doubles{2, 3}));
  EXPECT_EQ(self.info().storage_offset, 2);
  call("aten::as_strided_", self, Ints{2, 2}, Ints{3, 1}, 0);
  EXPECT_EQ(elements(self), (Doubles{0, 1, 3, 4}));
}

TEST(ViewForms, RefusedInPlace_LeavesTheTensorAsItWas) {
  const Tensor self = matrix();
  const Error error = error_of([&] { call("aten::as_strided_", self, Ints{4}, Ints{2}); });
  EXPECT_EQ(error.code(), TENON_ERROR_INVALID_ARGUMENT);
  error_of([&] { call("aten::transpose_", self, 0, 2); });
  EXPECT_EQ(sizes(self), (Ints{2, 3}));
}

TEST(ViewForms, InPlaceOfWrappedMemory_LeavesTheMemory) {
  float memory[] = {1, 2};
  const int64_t two = 2;
  tenon_tensor* handle = nullptr;
  check(tenon_tensor_wrap(memory, TENON_DTYPE_F32, nullptr, 1, &two, nullptr, nullptr, nullptr,
                          &handle));
  const Tensor self(handle);
  call("aten::unsqueeze_", self, 0);
  EXPECT_EQ(sizes(self), (Ints{1, 2}));
  EXPECT_EQ(self.data<float>(), memory);
}

TEST(ViewForms, InPlaceOnMeta_GivesTheShape) {
  const Tensor self = meta({1, 4, 1}, Dtype::F32);
  call("aten::squeeze_.dims", self, Ints{0});
  EXPECT_EQ(sizes(self), (Ints{4, 1}));
  call("aten::squeeze_", self);
  EXPECT_EQ(sizes(self), (Ints{4}));
}

TEST(ViewForms, Copy_IsRowMajorWithMemoryOfItsOwn) {
  const Tensor self = matrix();
  const Tensor result = call("aten::t_copy", self);
  EXPECT_EQ(strides(result), (Ints{2, 1}));
  call("aten::zero_", self);
  EXPECT_EQ(elements(result), (Doubles{0, 3, 1, 4, 2, 5}));
}

TEST(ViewForms, CopyOfWhatIsNoView_Reshapes) {
  const Tensor turned = call("aten::t", matrix());
  const Tensor result = call("aten::view_copy", turned, Ints{6});
  EXPECT_EQ(elements(result), (Doubles{0, 3, 1, 4, 2, 5}));
  const Error error = error_of([&] {
    Op("aten::_unsafe_view.out")(turned, Ints{6}, kw("out", Tensor::empty(Ints{0}, Dtype::F32)));
  });
  EXPECT_EQ(error.code(), TENON_ERROR_INVALID_ARGUMENT);
}

TEST(ViewForms, CopyOut_KeepsTheStridesOfOut) {
  const Tensor out = call("aten::t", Tensor::empty(Ints{2, 3}, Dtype::F32));
  Op("aten::transpose_copy.int_out")(matrix(), 0, 1, kw("out", out));
  EXPECT_EQ(strides(out), (Ints{1, 3}));
  EXPECT_EQ(elements(out), (Doubles{0, 3, 1, 4, 2, 5}));
}

TEST(ViewForms, CopyOutOfAnotherDtype_IsRefused) {
  const Tensor out = Tensor::empty(Ints{0}, Dtype::F64);
  const Error error = error_of([&] { Op("aten::alias_copy.out")(matrix(), kw("out", out)); });
  EXPECT_EQ(std::string(error.what()),
            "aten::alias_copy.out: out must have dtype float32, got float64");
}

TEST(ViewForms, CopyOnMeta_GivesTheShape) {
  const Tensor result = call("aten::expand_copy", meta({3}, Dtype::I32), Ints{2, 3});
  EXPECT_EQ(sizes(result), (Ints{2, 3}));
  EXPECT_EQ(strides(result), (Ints{3, 1}));
}

}  // namespace
}  // namespace tenon::tests
