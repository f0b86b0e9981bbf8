// SPDX-License-Identifier: Apache-2.0
#include "tensor/tensor.h"

#include "tensor_testing.h"

namespace tenon::tensor {
namespace {

using namespace testing;  // NOLINT: the test's own helpers

TEST(Tensor, New_IsRowMajorWithPlainKeys) {
  const LeakCheck nothing_left;
  const TensorPtr tensor = empty({2, 3, 4}, TENON_DTYPE_F64);
  EXPECT_EQ(sizes_of(*tensor), (Ints{2, 3, 4}));
  EXPECT_EQ(strides_of(*tensor), (Ints{12, 4, 1}));
  EXPECT_EQ(tensor->numel(), 24);
  EXPECT_EQ(tensor->storage()->nbytes(), 192);
  EXPECT_EQ(tensor->use_count(), 1);
  EXPECT_TRUE(tensor->is_contiguous());
  EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor->data()) % 64, 0u);
  EXPECT_EQ(tensor->keys(), tenon_keyset{1} | functionality(TENON_FUNCTIONALITY_DENSE) |
                                functionality(TENON_FUNCTIONALITY_AD_INPLACE_OR_VIEW) |
                                functionality(TENON_FUNCTIONALITY_AUTOCAST));
}

TEST(Tensor, NewOfEachSizeClass_IsWritableToTheEnd) {
  const LeakCheck nothing_left;
  for (int64_t nbytes : {0, 1, 63, 64, 65, 256, 257, 1024, 1025, 4096, 4097, 100000}) {
    const TensorPtr tensor = empty({nbytes}, TENON_DTYPE_U8);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor->data()) % 64, 0u) << nbytes;
    EXPECT_EQ(tensor->storage()->nbytes(), nbytes);
    std::memset(tensor->data(), 0xab, static_cast<size_t>(nbytes));
  }
}

TEST(Tensor, NewManyDims_HasAllOfThem) {
  const LeakCheck nothing_left;
  const TensorPtr tensor = empty(Ints(64, 1));
  EXPECT_EQ(tensor->ndim(), 64);
  EXPECT_EQ(strides_of(*tensor), Ints(64, 1));
  const TensorPtr six = empty({1, 2, 1, 3, 1, 2});
  EXPECT_EQ(strides_of(*six), (Ints{12, 6, 6, 2, 2, 1}));
}

TEST(Tensor, NewZeroDim_HasOneElement) {
  const TensorPtr tensor = empty({});
  EXPECT_EQ(tensor->ndim(), 0);
  EXPECT_EQ(tensor->numel(), 1);
  EXPECT_NE(tensor->data(), nullptr);
  EXPECT_TRUE(tensor->is_contiguous());
}

TEST(Tensor, NewEmpty_IsContiguousAndHasMemory) {
  const TensorPtr tensor = empty({3, 0, 2});
  EXPECT_EQ(tensor->numel(), 0);
  EXPECT_EQ(tensor->storage()->nbytes(), 0);
  EXPECT_EQ(strides_of(*tensor), (Ints{2, 2, 1}));
  EXPECT_TRUE(tensor->is_contiguous());
  EXPECT_TRUE(tensor->has_memory());
}

TEST(Tensor, NewStrided_ReservesWhatItReaches) {
  const int64_t strides[2] = {1, 4};
  const Ints sizes{3, 2};
  const TensorPtr tensor = new_tensor(TENON_DTYPE_F32, nullptr, dims(sizes), strides);
  EXPECT_EQ(strides_of(*tensor), (Ints{1, 4}));
  EXPECT_EQ(tensor->storage()->nbytes(), 7 * 4);
  EXPECT_FALSE(tensor->is_contiguous());
}

TEST(Tensor, NewBad_IsRefusedAndLeavesNothing) {
  const LeakCheck nothing_left;
  error_of(TENON_ERROR_INVALID_ARGUMENT, [] { empty({-1}); });
  error_of(TENON_ERROR_INVALID_ARGUMENT, [] { empty({int64_t{1} << 62}, TENON_DTYPE_F32); });
  error_of(TENON_ERROR_OUT_OF_MEMORY, [] { empty({int64_t{1} << 60}, TENON_DTYPE_F32); });
  error_of(TENON_ERROR_INVALID_ARGUMENT, [] { empty({1}, 77); });
  error_of(TENON_ERROR_INVALID_ARGUMENT, [] { empty({1}, TENON_DTYPE_NONE); });
  error_of(TENON_ERROR_INVALID_ARGUMENT, [] {
    empty({1}, TENON_DTYPE_F32, {TENON_DEVICE_CPU, 1});
  });
  error_of(TENON_ERROR_NOT_FOUND, [] { empty({1}, TENON_DTYPE_F32, {21, 0}); });
  error_of(TENON_ERROR_NOT_FOUND, [] { empty({1}, TENON_DTYPE_F32, {-7, 0}); });
  error_of(TENON_ERROR_NOT_FOUND, [] { empty({1}, TENON_DTYPE_F32, {TENON_DEVICE_CUDA, 0}); });
  const int64_t negative[1] = {-2};
  const Ints two{2};
  error_of(TENON_ERROR_INVALID_ARGUMENT,
           [&] { new_tensor(TENON_DTYPE_F32, nullptr, dims(two), negative); });
}

TEST(Tensor, NewMeta_HasShapeButNoMemory) {
  const LeakCheck nothing_left;
  const TensorPtr tensor = empty({int64_t{1} << 40}, TENON_DTYPE_F32, kMeta);
  EXPECT_EQ(tensor->data(), nullptr);
  EXPECT_FALSE(tensor->has_memory());
  EXPECT_EQ(tensor->storage()->nbytes(), int64_t{1} << 42);
  EXPECT_TRUE((tensor->keys() & (tenon_keyset{1} << TENON_BACKEND_META)) != 0);
  tenon_tensor_info info;
  tensor->describe(&info);
  EXPECT_EQ(info.data, nullptr);
  EXPECT_EQ(info.device.type, TENON_DEVICE_META);
}

TEST(Tensor, DeviceIndexIsResolved) {
  EXPECT_EQ(empty({1}, TENON_DTYPE_F32, {TENON_DEVICE_CPU, -1})->device().index, 0);
  EXPECT_EQ(empty({1}, TENON_DTYPE_F32, {TENON_DEVICE_META, -1})->device().index, 0);
}

TEST(Tensor, NewLike_IsRowMajorOfTheSameSizes) {
  const LeakCheck nothing_left;
  const TensorPtr base = floats({2, 3}, {1, 2, 3, 4, 5, 6});
  const TensorPtr turned = new_alias(*base, dims({3, 2}), dims({1, 3}), 0);
  const TensorPtr like = TensorPtr::adopt(Tensor::make_like(*turned, TENON_DTYPE_I64));
  EXPECT_EQ(sizes_of(*like), Ints({3, 2}));
  EXPECT_EQ(strides_of(*like), Ints({2, 1}));
  EXPECT_EQ(like->dtype(), TENON_DTYPE_I64);
  EXPECT_EQ(like->numel(), 6);
  EXPECT_TRUE(like->is_contiguous());
  EXPECT_NE(like->storage(), base->storage());
  EXPECT_EQ(like->storage()->nbytes(), 48);
  EXPECT_EQ(like->version(), 0);
}

// Depending on the sizes, new_like uses a fast path or the general path.
TEST(Tensor, NewLikeOfManySizes_IsWhatNewMakes) {
  const LeakCheck nothing_left;
  const Ints shapes[] = {{}, {0}, {1}, {4096}, {4097}, {3, 0, 5}, {1, 1, 1, 1, 1, 1, 2}, {5, 4, 3}};
  for (const Ints& shape : shapes) {
    for (const tenon_device& device : {kCpu, kMeta}) {
      const TensorPtr made = empty(shape, TENON_DTYPE_U8, device);
      for (int round = 0; round < 2; ++round) {  // first from malloc, then from the thread's bin
        const TensorPtr like = TensorPtr::adopt(Tensor::make_like(*made, TENON_DTYPE_C128));
        const TensorPtr expected = empty(shape, TENON_DTYPE_C128, device);
        EXPECT_EQ(sizes_of(*like), sizes_of(*expected));
        EXPECT_EQ(strides_of(*like), strides_of(*expected));
        EXPECT_EQ(like->numel(), expected->numel());
        EXPECT_EQ(like->storage()->nbytes(), expected->storage()->nbytes());
        EXPECT_EQ(like->device().type, device.type);
        EXPECT_EQ(like->keys(), expected->keys());
        EXPECT_EQ(like->flags(), expected->flags());
      }
    }
  }
}

TEST(Tensor, NewLikeBad_IsRefused) {
  const TensorPtr base = floats({1}, {1});
  EXPECT_EQ(error_of(TENON_ERROR_INVALID_ARGUMENT, [&] { Tensor::make_like(*base, 99); }),
            "tenon_tensor_new: dtype must be a known dtype, got number 99");
  EXPECT_EQ(error_of(TENON_ERROR_STATE,
                     [&] { Tensor::make_like(*Tensor::undefined(), TENON_DTYPE_F32); }),
            "tenon_tensor_new_like: like must be defined, got the undefined tensor");
}

TEST(Tensor, Describe_FillsEverything) {
  const TensorPtr base = floats({2, 3}, {0, 1, 2, 3, 4, 5});
  const TensorPtr column = new_alias(*base, dims({2}), dims({3}), 1);
  tenon_tensor_info info;
  std::memset(&info, 0xff, sizeof info);
  column->describe(&info);
  EXPECT_EQ(*static_cast<float*>(info.data), 1.0f);
  EXPECT_EQ(info.sizes[0], 2);
  EXPECT_EQ(info.strides[0], 3);
  EXPECT_EQ(info.numel, 2);
  EXPECT_EQ(info.storage_offset, 1);
  EXPECT_EQ(info.ndim, 1);
  EXPECT_EQ(info.dtype, TENON_DTYPE_F32);
  EXPECT_EQ(info.device.type, TENON_DEVICE_CPU);
  EXPECT_EQ(info.flags, 0u);
  EXPECT_EQ(info.reserved0, 0u);
  EXPECT_EQ(info.reserved[0] | info.reserved[1], 0u);
}

TEST(Tensor, Alias_SharesStorageAndVersion) {
  const LeakCheck nothing_left;
  TensorPtr base = floats({4}, {1, 2, 3, 4});
  const TensorPtr alias = new_alias(*base, dims({2, 2}), dims({1, 2}), 0);
  EXPECT_EQ(alias->storage(), base->storage());
  alias->bump_version();
  EXPECT_EQ(base->version(), 1);
  const TensorPtr of_alias = new_alias(*alias, dims({}), dims({}), 3);
  base.reset();
  EXPECT_EQ(*static_cast<float*>(of_alias->data()), 4.0f);
  EXPECT_EQ(of_alias->version(), 1);
}

TEST(Tensor, AliasManyDims_OwnsItsShape) {
  const LeakCheck nothing_left;
  const TensorPtr base = floats({1}, {5});
  TensorPtr alias = new_alias(*base, dims(Ints(6, 1)), dims(Ints(6, 3)), 0);
  const TensorPtr again = new_alias(*alias, alias->size_span(), alias->stride_span(), 0);
  alias.reset();
  EXPECT_EQ(strides_of(*again), Ints(6, 3));
}

TEST(Tensor, AliasOutside_IsRefused) {
  const LeakCheck nothing_left;
  const TensorPtr base = floats({4}, {1, 2, 3, 4});
  const auto alias = [&](const Ints& sizes, const Ints& strides, int64_t offset) {
    return new_alias(*base, dims(sizes), dims(strides), offset);
  };
  EXPECT_EQ(alias({2}, {3}, 0)->numel(), 2);
  error_of(TENON_ERROR_INVALID_ARGUMENT, [&] { alias({2}, {3}, 1); });
  error_of(TENON_ERROR_INVALID_ARGUMENT, [&] { alias({5}, {1}, 0); });
  error_of(TENON_ERROR_INVALID_ARGUMENT, [&] { alias({}, {}, 4); });
  error_of(TENON_ERROR_INVALID_ARGUMENT, [&] { alias({1}, {1}, -1); });
  error_of(TENON_ERROR_INVALID_ARGUMENT, [&] { alias({2}, {-1}, 3); });
  error_of(TENON_ERROR_INVALID_ARGUMENT, [&] { alias({1}, {1}, INT64_MAX); });
  error_of(TENON_ERROR_INVALID_ARGUMENT, [&] { alias({1}, {1}, INT64_MAX / 4); });
  error_of(TENON_ERROR_INVALID_ARGUMENT,
           [] { new_alias(*Tensor::undefined(), dims({}), dims({}), 0); });
  // Empty views accept any offset, because they access no element; slicing past the end makes such
  // views.
  EXPECT_EQ(alias({0}, {1}, 9)->numel(), 0);
}

// Sizes and strides whose products or sums exceed 63 bits, in each position.
TEST(Tensor, AliasOverflowing_IsRefused) {
  const TensorPtr base = floats({4}, {1, 2, 3, 4});
  constexpr int64_t kHuge = int64_t{1} << 62;
  const std::pair<Ints, Ints> layouts[] = {
      {{2}, {kHuge}},
      {{2, 2, 2}, {kHuge, kHuge, kHuge}},
      {{3}, {kHuge}},
      {{kHuge, 4}, {1, 1}},
      {{int64_t{1} << 40, 2}, {int64_t{1} << 24, 1}},
  };
  for (const auto& [sizes, strides] : layouts) {
    EXPECT_THROW(new_alias(*base, dims(sizes), dims(strides), 0), Error) << print_dims(dims(sizes));
  }
  EXPECT_THROW(new_alias(*base, dims({1}), dims({1}), INT64_MAX), Error);
  EXPECT_THROW(new_alias(*base, dims({1}), dims({1}), kHuge), Error);
}

// A huge expanded dim is allowed, because it reaches one element only.
TEST(Tensor, AliasExpandedFar_IsAllowed) {
  const TensorPtr base = floats({1}, {7});
  const TensorPtr wide = new_alias(*base, dims({int64_t{1} << 40}), dims({0}), 0);
  EXPECT_EQ(wide->numel(), int64_t{1} << 40);
  EXPECT_FALSE(wide->is_contiguous());
}

TEST(Tensor, AliasOverlapping_IsAllowed) {
  const TensorPtr base = floats({1}, {7});
  const TensorPtr expanded = new_alias(*base, dims({1000, 1000}), dims({0, 0}), 0);
  EXPECT_EQ(expanded->numel(), 1000000);
  EXPECT_FALSE(expanded->is_contiguous());
}

TEST(Tensor, Wrap_SharesMemoryAndDeletesOnce) {
  const LeakCheck nothing_left;
  int deleted = 0;
  double memory[6] = {};
  const Ints sizes{2, 3};
  TensorPtr tensor =
      wrap_tensor(memory, TENON_DTYPE_F64, nullptr, dims(sizes), nullptr, &deleted, &count_call);
  EXPECT_EQ(tensor->data(), memory);
  EXPECT_EQ(tensor->storage()->nbytes(), 48);
  TensorPtr alias = new_alias(*tensor, dims({1}), dims({1}), 5);
  tensor.reset();
  EXPECT_EQ(deleted, 0);
  EXPECT_EQ(alias->data(), memory + 5);
  alias.reset();
  EXPECT_EQ(deleted, 1);
}

TEST(Tensor, WrapBad_DeletesAllTheSame) {
  const LeakCheck nothing_left;
  int deleted = 0;
  double memory[1] = {};
  const auto wrap = [&](void* data, tenon_dtype dtype, const Ints& sizes) {
    wrap_tensor(data, dtype, nullptr, dims(sizes), nullptr, &deleted, &count_call);
  };
  error_of(TENON_ERROR_INVALID_ARGUMENT, [&] { wrap(nullptr, TENON_DTYPE_F64, {1}); });
  error_of(TENON_ERROR_INVALID_ARGUMENT, [&] { wrap(memory, 77, {1}); });
  error_of(TENON_ERROR_INVALID_ARGUMENT, [&] { wrap(memory, TENON_DTYPE_F64, {-1}); });
  EXPECT_EQ(deleted, 3);
  wrap(nullptr, TENON_DTYPE_F64, {0});
  EXPECT_EQ(deleted, 4);
}

TEST(Tensor, StorageOutlivesItsTensor) {
  const LeakCheck nothing_left;
  TensorPtr tensor = floats({2}, {1, 2});
  const StoragePtr storage = StoragePtr::share(tensor->storage());
  tensor.reset();
  EXPECT_EQ(static_cast<float*>(storage->data())[1], 2.0f);
}

TEST(Tensor, Undefined_IsOneAndImmortal) {
  const LeakCheck nothing_left;
  Tensor* undefined = Tensor::undefined();
  EXPECT_EQ(undefined->keys(), 0u);
  EXPECT_EQ(undefined->dtype(), TENON_DTYPE_NONE);
  EXPECT_EQ(undefined->ndim(), 0);
  EXPECT_EQ(undefined->numel(), 0);
  EXPECT_EQ(undefined->device().type, -1);
  EXPECT_TRUE(undefined->is_undefined());
  EXPECT_FALSE(undefined->has_memory());
  for (int i = 0; i < 1000; ++i) undefined->retain();
  for (int i = 0; i < 1000; ++i) undefined->release();
  tenon_tensor_info info;
  undefined->describe(&info);
  EXPECT_EQ(info.flags, TENON_TENSOR_UNDEFINED);
  error_of(TENON_ERROR_STATE, [&] { undefined->resize({}, nullptr); });
}

TEST(Tensor, Number_IsWrappedAndZeroDim) {
  tenon_value value{};
  value.tag = TENON_TAG_FLOAT;
  value.as.f = 0.5;
  const TensorPtr half = new_number(value);
  EXPECT_EQ(half->dtype(), TENON_DTYPE_F64);
  EXPECT_EQ(*static_cast<double*>(half->data()), 0.5);
  EXPECT_TRUE(half->is_wrapped_number());
  value.tag = TENON_TAG_BOOL;
  value.as.i = 1;
  EXPECT_EQ(new_number(value)->dtype(), TENON_DTYPE_BOOL);
  value.tag = TENON_TAG_COMPLEX;
  value.as.c = {1, -2};
  const TensorPtr complex = new_number(value);
  EXPECT_EQ(complex->dtype(), TENON_DTYPE_C128);
  EXPECT_EQ(static_cast<double*>(complex->data())[1], -2.0);
  value.tag = TENON_TAG_STRING;
  EXPECT_NE(error_of(TENON_ERROR_TYPE, [&] { new_number(value); }).find("got str"),
            std::string::npos);
}

TEST(Tensor, SetWrappedNumber_OnlyZeroDim) {
  const TensorPtr scalar = empty({});
  scalar->set_wrapped_number(true);
  EXPECT_TRUE(scalar->is_wrapped_number());
  scalar->set_wrapped_number(false);
  EXPECT_FALSE(scalar->is_wrapped_number());
  const TensorPtr vector = empty({1});
  error_of(TENON_ERROR_INVALID_ARGUMENT, [&] { vector->set_wrapped_number(true); });
}

TEST(Tensor, Resize_KeepsContentAndGrows) {
  const LeakCheck nothing_left;
  const TensorPtr tensor = floats({3}, {1, 2, 3});
  tensor->resize(dims({2, 8}), nullptr);  // still fits into the block
  EXPECT_EQ(strides_of(*tensor), (Ints{8, 1}));
  EXPECT_EQ(static_cast<float*>(tensor->data())[2], 3.0f);
  tensor->resize(dims({100, 100}), nullptr);
  EXPECT_EQ(tensor->storage()->nbytes(), 40000);
  EXPECT_EQ(static_cast<float*>(tensor->data())[2], 3.0f);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor->data()) % 64, 0u);
  std::memset(tensor->data(), 0, 40000);
  tensor->resize(dims({2}), nullptr);  // keeps the memory
  EXPECT_EQ(tensor->storage()->nbytes(), 40000);
  EXPECT_EQ(tensor->numel(), 2);
}

TEST(Tensor, ResizeSeenByViews_MovesTheirMemory) {
  const LeakCheck nothing_left;
  const TensorPtr tensor = floats({2}, {1, 2});
  const TensorPtr view = new_alias(*tensor, dims({1}), dims({1}), 1);
  tensor->resize(dims({10000}), nullptr);
  EXPECT_EQ(view->data(), static_cast<float*>(tensor->data()) + 1);
  EXPECT_EQ(*static_cast<float*>(view->data()), 2.0f);
}

TEST(Tensor, ResizeWithOffset_CountsIt) {
  const TensorPtr base = floats({16}, std::vector<float>(16, 1.0f));
  const TensorPtr view = new_alias(*base, dims({1}), dims({1}), 15);
  view->resize(dims({2}), nullptr);
  EXPECT_GE(base->storage()->nbytes(), 17 * 4);
  const TensorPtr end = new_alias(*base, dims({0}), dims({1}), 17);
  const int64_t before = base->storage()->nbytes();
  end->resize(dims({0, 5}), nullptr);
  EXPECT_EQ(base->storage()->nbytes(), before);
}

TEST(Tensor, ResizeStridedAndManyDims) {
  const LeakCheck nothing_left;
  const TensorPtr tensor = empty({1});
  const int64_t strides[2] = {1, 2};
  tensor->resize(dims({2, 3}), strides);
  EXPECT_FALSE(tensor->is_contiguous());
  tensor->resize(dims(Ints(7, 1)), nullptr);
  EXPECT_EQ(tensor->ndim(), 7);
  tensor->resize(tensor->size_span(), tensor->strides());  // passes its own shape as the argument
  EXPECT_EQ(sizes_of(*tensor), Ints(7, 1));
  tensor->resize(dims({2}), nullptr);
  EXPECT_EQ(sizes_of(*tensor), Ints{2});
  tensor->resize({}, nullptr);
  EXPECT_EQ(tensor->ndim(), 0);
}

TEST(Tensor, ResizeBad_ChangesNothing) {
  const TensorPtr tensor = floats({2}, {1, 2});
  error_of(TENON_ERROR_INVALID_ARGUMENT, [&] { tensor->resize(dims({-2}), nullptr); });
  error_of(TENON_ERROR_INVALID_ARGUMENT,
           [&] { tensor->resize(dims({int64_t{1} << 62}), nullptr); });
  error_of(TENON_ERROR_OUT_OF_MEMORY, [&] { tensor->resize(dims({int64_t{1} << 60}), nullptr); });
  EXPECT_EQ(sizes_of(*tensor), Ints{2});
  EXPECT_EQ(static_cast<float*>(tensor->data())[1], 2.0f);
  float memory[2] = {};
  const Ints two{2};
  const TensorPtr wrapped =
      wrap_tensor(memory, TENON_DTYPE_F32, nullptr, dims(two), nullptr, nullptr, nullptr);
  error_of(TENON_ERROR_STATE, [&] { wrapped->resize(dims({3}), nullptr); });
  EXPECT_EQ(sizes_of(*wrapped), Ints{2});
  error_of(TENON_ERROR_STATE, [&] { wrapped->resize(dims({1}), nullptr); });
  EXPECT_EQ(wrapped->numel(), 2);
  wrapped->resize(dims({2}), nullptr);
}

// Wrapped memory belongs to its owner, who may rely on the shape of a view of it.
TEST(Tensor, ResizeViewOfWrappedMemory_IsRefused) {
  float memory[4] = {};
  const Ints four{4}, two{2};
  const TensorPtr wrapped =
      wrap_tensor(memory, TENON_DTYPE_F32, nullptr, dims(four), nullptr, nullptr, nullptr);
  const TensorPtr view = new_alias(*wrapped, dims(two), dims({2}), 0);
  EXPECT_EQ(error_of(TENON_ERROR_STATE, [&] { view->resize(dims({1}), nullptr); }),
            "tenon_tensor_resize: storage must be allocated by Tenon to be resized, got wrapped "
            "memory of 16 bytes with sizes [2] for sizes [1]");
  error_of(TENON_ERROR_STATE, [&] { view->resize(dims(two), nullptr); });
  EXPECT_EQ(strides_of(*view), Ints{2});
}

TEST(Tensor, ResizeMeta_OnlyCounts) {
  const TensorPtr tensor = empty({1}, TENON_DTYPE_F32, kMeta);
  tensor->resize(dims({int64_t{1} << 50}), nullptr);
  EXPECT_EQ(tensor->storage()->nbytes(), int64_t{1} << 52);
}

TEST(Tensor, Alias_HasTheKeysOfItsBaseButForAutograd) {
  const TensorPtr tensor = empty({4});
  const tenon_keyset own = functionality(TENON_FUNCTIONALITY_TRACER);
  const tenon_keyset autograd = functionality(TENON_FUNCTIONALITY_AUTOGRAD);
  const tenon_keyset view_key = functionality(TENON_FUNCTIONALITY_AD_INPLACE_OR_VIEW);
  tensor->add_keys(own | autograd);
  tensor->remove_keys(view_key);
  const tenon_keyset expected = tensor->keys() & ~autograd;
  EXPECT_EQ(new_alias(*tensor, dims({2}), dims({2}), 1)->keys(), expected);
  EXPECT_EQ(new_alias(*tensor, dims(Ints(7, 1)), dims(Ints(7, 1)), 0)->keys(), expected);
}

TEST(Tensor, AliasAs_CountsElementsOfItsDtype) {
  const LeakCheck nothing_left;
  const TensorPtr tensor = empty({2, 3}, TENON_DTYPE_C64);
  const Ints sizes{2, 3, 2}, strides{6, 2, 1};
  const TensorPtr real = TensorPtr::adopt(
      Tensor::make_alias_as(*tensor, TENON_DTYPE_F32, dims(sizes), dims(strides), 0));
  EXPECT_EQ(real->dtype(), TENON_DTYPE_F32);
  EXPECT_EQ(real->itemsize(), 4);
  EXPECT_EQ(real->storage(), tensor->storage());
  EXPECT_TRUE(real->is_contiguous());
  real->check_invariants();
  const TensorPtr bytes =
      TensorPtr::adopt(Tensor::make_alias_as(*tensor, TENON_DTYPE_U8, dims({8}), dims({1}), 40));
  EXPECT_EQ(bytes->data(), static_cast<char*>(tensor->data()) + 40);
  error_of(TENON_ERROR_INVALID_ARGUMENT,
           [&] { Tensor::make_alias_as(*tensor, TENON_DTYPE_U8, dims({9}), dims({1}), 40); });
  error_of(TENON_ERROR_INVALID_ARGUMENT,
           [&] { Tensor::make_alias_as(*tensor, 77, dims({1}), dims({1}), 0); });
}

TEST(Tensor, AliasAs_WantsAlignment) {
  alignas(16) char memory[17] = {};
  const Ints sixteen{16};
  const TensorPtr bytes =
      wrap_tensor(memory + 1, TENON_DTYPE_U8, nullptr, dims(sixteen), nullptr, nullptr, nullptr);
  EXPECT_EQ(
      error_of(TENON_ERROR_INVALID_ARGUMENT,
               [&] { Tensor::make_alias_as(*bytes, TENON_DTYPE_F32, dims({1}), dims({1}), 0); }),
      "tenon_tensor_new_alias_as: first element must be aligned to 4 bytes for float32, got an "
      "unaligned one");
  // Without elements there is no first element to align.
  TensorPtr::adopt(Tensor::make_alias_as(*bytes, TENON_DTYPE_F32, dims({0}), dims({1}), 0));
}

TEST(Tensor, WrapMeta_HasNoMemoryAndTellsItsDeleter) {
  const LeakCheck nothing_left;
  int deleted = 0;
  const Ints two{2};
  TensorPtr tensor =
      wrap_tensor(nullptr, TENON_DTYPE_F32, &kMeta, dims(two), nullptr, &deleted, &count_call);
  EXPECT_FALSE(tensor->has_memory());
  tensor->check_invariants();
  tensor.reset();
  EXPECT_EQ(deleted, 1);
}

TEST(Tensor, Weak_DiesWithTheLastStrongReference) {
  const LeakCheck nothing_left;
  TensorPtr tensor = floats({2}, {1, 2});
  const WeakTensor weak(tensor.get());
  const WeakTensor copy = weak;
  EXPECT_EQ(weak.lock().get(), tensor.get());
  EXPECT_EQ(tensor->use_count(), 1);
  tensor.reset();
  EXPECT_EQ(weak.lock(), nullptr);
  EXPECT_EQ(copy.lock(), nullptr);
}

TEST(Tensor, WeakToView_LetsItsStorageGo) {
  int deleted = 0;
  float memory[2] = {};
  const Ints two{2};
  TensorPtr tensor =
      wrap_tensor(memory, TENON_DTYPE_F32, nullptr, dims(two), nullptr, &deleted, &count_call);
  TensorPtr view = new_alias(*tensor, dims(Ints(6, 1)), dims(Ints(6, 1)), 0);
  const WeakTensor weak_view(view.get());
  const WeakTensor weak(tensor.get());
  tensor.reset();
  EXPECT_EQ(deleted, 0);
  view.reset();
  EXPECT_EQ(deleted, 1);
  EXPECT_EQ(weak.lock(), nullptr);
  EXPECT_EQ(weak_view.lock(), nullptr);
}

}  // namespace
}  // namespace tenon::tensor
