// SPDX-License-Identifier: Apache-2.0
// Hollow tensors: the sizes and strides that they report, and the versions that they share.
#include "tensor/printer.h"
#include "tensor_testing.h"

namespace tenon::tensor {
namespace {

using namespace testing;  // NOLINT: the test's own helpers

constexpr tenon_keyset kWrapperKey = tenon_keyset{1}
                                     << (TENON_BACKEND_BITS + TENON_FUNCTIONALITY_WRAPPER);

TensorPtr hollow(const Geometry& geometry, const Tensor* version_of = nullptr,
                 int* dropped = nullptr, const tenon_device& device = kCpu) {
  const HollowMetadata claim{"test", kWrapperKey, TENON_DTYPE_F32, device, geometry, version_of};
  return TensorPtr::adopt(Tensor::make_hollow(claim, HollowKind::kWrapped, dropped,
                                              dropped != nullptr ? &count_call : nullptr));
}

TEST(Hollow, ClaimsStridesAndOffset) {
  const LeakCheck nothing_left;
  const Ints sizes{3, 2}, strides{1, 3};
  const TensorPtr tensor = hollow({dims(sizes), strides.data(), 4});
  EXPECT_EQ(sizes_of(*tensor), sizes);
  EXPECT_EQ(strides_of(*tensor), strides);
  EXPECT_EQ(tensor->offset(), 4);
  EXPECT_EQ(tensor->numel(), 6);
  EXPECT_FALSE(tensor->is_contiguous());
  EXPECT_EQ(tensor->data(), nullptr);
  EXPECT_FALSE(tensor->has_memory());
  tensor->check_invariants();
  EXPECT_TRUE(hollow(dims(sizes))->is_contiguous());
  EXPECT_EQ(strides_of(*hollow(dims(sizes))), (Ints{2, 1}));
}

TEST(Hollow, BadGeometry_IsRefusedAndItsContentDropped) {
  const LeakCheck nothing_left;
  const Ints sizes{3, 2}, negative{1, -1}, far{int64_t{1} << 62, 1};
  int dropped = 0;
  error_of(TENON_ERROR_INVALID_ARGUMENT, [&] {
    hollow({dims(sizes), negative.data(), 0}, nullptr, &dropped);
  });
  EXPECT_EQ(error_of(TENON_ERROR_INVALID_ARGUMENT,
                     [&] {
                       hollow({dims(sizes), nullptr, -1}, nullptr, &dropped);
                     }),
            "test: storage_offset must be >= 0, got -1");
  error_of(TENON_ERROR_INVALID_ARGUMENT, [&] {
    hollow({dims(sizes), far.data(), 0}, nullptr, &dropped);
  });
  error_of(TENON_ERROR_INVALID_ARGUMENT, [&] {
    hollow({dims(sizes), nullptr, INT64_MAX}, nullptr, &dropped);
  });
  EXPECT_EQ(dropped, 4);
}

TEST(Hollow, OwnVersion_IsItsOwn) {
  const TensorPtr tensor = hollow(dims({2}));
  tensor->bump_version();
  tensor->count_write();
  EXPECT_EQ(tensor->version(), 2);
}

TEST(Hollow, SharedVersion_CountsWritesOfBoth) {
  const LeakCheck nothing_left;
  const TensorPtr base = empty({2});
  base->bump_version();
  const TensorPtr wrapper = hollow(dims({2}), base.get());
  EXPECT_EQ(wrapper->version(), 1);
  wrapper->bump_version();
  wrapper->count_write();
  EXPECT_EQ(base->version(), 3);
  new_alias(*base, dims({1}), dims({1}), 1)->count_write();
  EXPECT_EQ(wrapper->version(), 4);
  wrapper->check_invariants();
}

TEST(Hollow, SharedVersionOfAHollowTensor_IsThatOfItsStorage) {
  const LeakCheck nothing_left;
  const TensorPtr base = empty({2});
  TensorPtr first = hollow(dims({2}), base.get());
  const TensorPtr second = hollow(dims({2}), first.get());
  first.reset();
  second->count_write();
  EXPECT_EQ(base->version(), 1);
}

TEST(Hollow, SharedVersion_KeepsTheCounterNotTheData) {
  const LeakCheck nothing_left;
  int deleted = 0;
  float memory[2] = {};
  const Ints two{2};
  TensorPtr base =
      wrap_tensor(memory, TENON_DTYPE_F32, nullptr, dims(two), nullptr, &deleted, &count_call);
  const TensorPtr wrapper = hollow(dims({2}), base.get());
  base->bump_version();
  base.reset();
  EXPECT_EQ(deleted, 1);
  wrapper->count_write();
  EXPECT_EQ(wrapper->version(), 2);
}

TEST(Hollow, SymbolicShape_HasNoNumbers) {
  struct Owner final : base::SymbolOwner {
    void append_text(const tenon_symbol&, std::string& text) override { text += "n"; }
    int64_t simplify(int64_t word) override { return word; }
  } owner;
  const tenon_symbol symbol{&owner, TENON_TAG_SYMINT};
  const int64_t words[4] = {base::word_of(&symbol), 3, 3, 1};
  Geometry geometry({words, 2}, words + 2, 0);
  geometry.symbolic = true;
  const TensorPtr tensor = hollow(geometry);
  EXPECT_TRUE(tensor->is_symbolic());
  EXPECT_EQ(tensor->numel(), -1);
  EXPECT_FALSE(tensor->is_contiguous());
  EXPECT_EQ(tenon_tensor_sizes(tensor.get()), nullptr);
  EXPECT_EQ(tenon_tensor_strides(tensor.get()), nullptr);
  EXPECT_EQ(tenon_tensor_numel(tensor.get()), -1);
  EXPECT_EQ(tenon_tensor_ndim(tensor.get()), 2);
  EXPECT_NE(print_tensor(*tensor).find("size=(n, 3)"), std::string::npos) << print_tensor(*tensor);
  tenon_tensor_info info{};
  EXPECT_EQ(tenon_tensor_describe(tensor.get(), &info), TENON_ERROR_NOT_SUPPORTED);
  error_of(TENON_ERROR_NOT_SUPPORTED, [&] { tensor->resize(dims({1}), nullptr); });
  error_of(TENON_ERROR_NOT_SUPPORTED, [&] { Tensor::make_like(*tensor, TENON_DTYPE_F32); });
  tensor->check_invariants();
}

// A device other than Meta does not imply memory: hollow tensors may claim any device.
TEST(Hollow, ClaimedDevice_GivesNoMemory) {
  const TensorPtr tensor = hollow(dims({2}), nullptr, nullptr, {TENON_DEVICE_CUDA, 1});
  EXPECT_EQ(tensor->device().type, TENON_DEVICE_CUDA);
  EXPECT_FALSE(tensor->has_memory());
}

}  // namespace
}  // namespace tenon::tensor
