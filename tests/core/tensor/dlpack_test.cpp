// SPDX-License-Identifier: Apache-2.0
#include "tensor/dlpack.h"

#include "tensor_testing.h"

namespace tenon::tensor {
namespace {

using namespace testing;  // NOLINT: the test's own helpers

// A DLPack producer, as in another library.
template <class Managed>
struct Producer {
  float memory[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  int64_t shape[2] = {2, 3};
  int64_t strides[2] = {3, 1};
  int deleted = 0;
  Managed managed{};

  Producer() {
    managed.tensor = {memory, {dlpack::kCpu, 0}, 2, {dlpack::kFloat, 32, 1}, shape, strides, 0};
    managed.manager_ctx = &deleted;
    managed.deleter = [](Managed* self) { ++*static_cast<int*>(self->manager_ctx); };
  }
};

struct Versioned : Producer<DLManagedTensorVersioned> {
  Versioned() { managed.version = {1, 0}; }
  // Imports; returns the message of the refusal with `code`, which must not consume the tensor.
  std::string refused(tenon_status code) {
    std::string message = error_of(code, [&] { from_dlpack(&managed); });
    EXPECT_EQ(deleted, 0);
    return message;
  }
};
using Legacy = Producer<DLManagedTensor>;

TEST(Dlpack, ImportSharesMemoryAndDeletesOnce) {
  const LeakCheck nothing_left;
  Versioned producer;
  TensorPtr tensor = from_dlpack(&producer.managed);
  EXPECT_EQ(tensor->data(), producer.memory);
  EXPECT_EQ(sizes_of(*tensor), (Ints{2, 3}));
  EXPECT_EQ(tensor->flags(), TENON_TENSOR_CONTIGUOUS);
  TensorPtr view = new_alias(*tensor, dims({1}), dims({1}), 5);
  tensor.reset();
  EXPECT_EQ(producer.deleted, 0);
  view.reset();
  EXPECT_EQ(producer.deleted, 1);
}

TEST(Dlpack, ImportLegacy) {
  const LeakCheck nothing_left;
  Legacy producer;
  TensorPtr tensor = from_dlpack_legacy(&producer.managed);
  EXPECT_EQ(tensor->data(), producer.memory);
  tensor.reset();
  EXPECT_EQ(producer.deleted, 1);
}

TEST(Dlpack, ImportWithoutDeleter) {
  Legacy producer;
  producer.managed.deleter = nullptr;
  from_dlpack_legacy(&producer.managed).reset();
  EXPECT_EQ(producer.deleted, 0);
}

TEST(Dlpack, ImportWithoutStrides_IsRowMajor) {
  Versioned producer;
  producer.managed.tensor.strides = nullptr;
  EXPECT_EQ(strides_of(*from_dlpack(&producer.managed)), (Ints{3, 1}));
}

TEST(Dlpack, ImportNonContiguousAndOverlapping) {
  Versioned producer;
  producer.strides[0] = 1;
  producer.strides[1] = 2;
  const TensorPtr tensor = from_dlpack(&producer.managed);
  EXPECT_FALSE(tensor->is_contiguous());
  EXPECT_EQ(tensor->storage()->nbytes(), 6 * 4);
  Versioned expanded;
  expanded.strides[0] = 0;
  EXPECT_EQ(from_dlpack(&expanded.managed)->storage()->nbytes(), 3 * 4);
}

TEST(Dlpack, ImportByteOffset_IsApplied) {
  Versioned producer;
  producer.managed.tensor.byte_offset = 8;
  const TensorPtr tensor = from_dlpack(&producer.managed);
  EXPECT_EQ(tensor->data(), producer.memory + 2);
  EXPECT_EQ(tensor->offset(), 0);
}

TEST(Dlpack, ImportReadOnly_StaysSo) {
  Versioned producer;
  producer.managed.flags = dlpack::kReadOnly;
  const TensorPtr tensor = from_dlpack(&producer.managed);
  EXPECT_TRUE((tensor->flags() & TENON_TENSOR_READ_ONLY) != 0);
  const TensorPtr view = new_alias(*tensor, dims({1}), dims({1}), 0);
  EXPECT_TRUE((view->flags() & TENON_TENSOR_READ_ONLY) != 0);
  EXPECT_NE(error_of(TENON_ERROR_NOT_SUPPORTED, [&] { to_dlpack_legacy(view.get(), nullptr); })
                .find("read-only"),
            std::string::npos);
  DLManagedTensorVersioned* exported = to_dlpack(view.get(), nullptr);
  EXPECT_EQ(exported->flags, dlpack::kReadOnly);
  exported->deleter(exported);
}

TEST(Dlpack, ImportEmptyAndZeroDim) {
  Versioned producer;
  producer.shape[0] = 0;
  producer.managed.tensor.data = nullptr;
  EXPECT_EQ(from_dlpack(&producer.managed)->numel(), 0);
  Versioned scalar;
  scalar.managed.tensor.ndim = 0;
  scalar.managed.tensor.shape = nullptr;
  scalar.managed.tensor.strides = nullptr;
  EXPECT_EQ(from_dlpack(&scalar.managed)->numel(), 1);
}

TEST(Dlpack, ImportPinned_IsCpu) {
  Versioned producer;
  producer.managed.tensor.device = {dlpack::kCudaHost, 0};
  EXPECT_EQ(from_dlpack(&producer.managed)->device().type, TENON_DEVICE_CPU);
}

TEST(Dlpack, ImportCuda_KeepsItsIndex) {
  Versioned producer;
  producer.managed.tensor.device = {dlpack::kCuda, 3};
  const TensorPtr tensor = from_dlpack(&producer.managed);
  EXPECT_EQ(tensor->device().type, TENON_DEVICE_CUDA);
  EXPECT_EQ(tensor->device().index, 3);
  Versioned negative;
  negative.managed.tensor.device = {dlpack::kCuda, -1};
  negative.refused(TENON_ERROR_INVALID_ARGUMENT);
}

TEST(Dlpack, ImportMalformed_IsRefusedUnconsumed) {
  const LeakCheck nothing_left;
  Versioned producer;
  dlpack::View& tensor = producer.managed.tensor;
  const dlpack::View good = tensor;
  const auto refused = [&](tenon_status code) {
    const std::string message = producer.refused(code);
    tensor = good;
    producer.shape[0] = 2, producer.shape[1] = 3;
    producer.strides[0] = 3, producer.strides[1] = 1;
    return message;
  };
  tensor.data = nullptr;
  EXPECT_NE(refused(TENON_ERROR_INVALID_ARGUMENT).find("data"), std::string::npos);
  producer.shape[1] = -3;
  EXPECT_NE(refused(TENON_ERROR_INVALID_ARGUMENT).find("-3"), std::string::npos);
  producer.shape[0] = producer.shape[1] = int64_t{1} << 40;
  refused(TENON_ERROR_INVALID_ARGUMENT);
  producer.shape[0] = int64_t{1} << 61, producer.shape[1] = 1;
  refused(TENON_ERROR_INVALID_ARGUMENT);
  producer.strides[0] = -3;
  EXPECT_NE(refused(TENON_ERROR_INVALID_ARGUMENT).find("-3"), std::string::npos);
  producer.strides[0] = INT64_MAX;
  refused(TENON_ERROR_INVALID_ARGUMENT);
  tensor.ndim = -1;
  refused(TENON_ERROR_INVALID_ARGUMENT);
  tensor.ndim = 65;
  refused(TENON_ERROR_INVALID_ARGUMENT);
  tensor.shape = nullptr;
  refused(TENON_ERROR_INVALID_ARGUMENT);
  tensor.byte_offset = 2;
  EXPECT_NE(refused(TENON_ERROR_INVALID_ARGUMENT).find("aligned"), std::string::npos);
  tensor.byte_offset = UINT64_MAX - 3;
  refused(TENON_ERROR_INVALID_ARGUMENT);
  tensor.dtype.lanes = 4;
  EXPECT_NE(refused(TENON_ERROR_NOT_SUPPORTED).find("lanes must be 1, got 4"), std::string::npos);
  tensor.dtype.lanes = 0;
  refused(TENON_ERROR_NOT_SUPPORTED);
  tensor.dtype.bits = 24;
  EXPECT_NE(refused(TENON_ERROR_NOT_SUPPORTED).find("24"), std::string::npos);
  tensor.dtype.code = 99;
  refused(TENON_ERROR_NOT_SUPPORTED);
  tensor.dtype = {dlpack::kUint, 128, 1};
  refused(TENON_ERROR_NOT_SUPPORTED);
  tensor.device.type = 0;
  refused(TENON_ERROR_NOT_SUPPORTED);
  tensor.device.type = 14;
  refused(TENON_ERROR_NOT_SUPPORTED);
  error_of(TENON_ERROR_INVALID_ARGUMENT, [] { from_dlpack(nullptr); });
  error_of(TENON_ERROR_INVALID_ARGUMENT, [] { from_dlpack_legacy(nullptr); });
  from_dlpack(&producer.managed).reset();
  EXPECT_EQ(producer.deleted, 1);
}

TEST(Dlpack, ImportUnknownMajor_IsDeletedThenRefused) {
  for (uint32_t major : {0u, 2u, 99u}) {
    Versioned producer;
    producer.managed.version = {major, 0};
    producer.managed.tensor.ndim = -5;  // must not be read
    const std::string message = error_of(TENON_ERROR_ABI, [&] { from_dlpack(&producer.managed); });
    EXPECT_NE(message.find(std::to_string(major)), std::string::npos);
    EXPECT_EQ(producer.deleted, 1);
  }
  Versioned minor;
  minor.managed.version = {1, 77};
  EXPECT_EQ(from_dlpack(&minor.managed)->numel(), 6);
}

TEST(Dlpack, DtypesGoOutAndComeBack) {
  struct Case {
    tenon_dtype dtype;
    uint8_t code, bits;
  };
  constexpr Case kCases[] = {
      {TENON_DTYPE_BOOL, 6, 8},       {TENON_DTYPE_U8, 1, 8},       {TENON_DTYPE_I8, 0, 8},
      {TENON_DTYPE_I16, 0, 16},       {TENON_DTYPE_I32, 0, 32},     {TENON_DTYPE_I64, 0, 64},
      {TENON_DTYPE_F16, 2, 16},       {TENON_DTYPE_BF16, 4, 16},    {TENON_DTYPE_F32, 2, 32},
      {TENON_DTYPE_F64, 2, 64},       {TENON_DTYPE_C64, 5, 64},     {TENON_DTYPE_C128, 5, 128},
      {TENON_DTYPE_F8_E4M3FN, 10, 8}, {TENON_DTYPE_F8_E5M2, 12, 8}, {TENON_DTYPE_U16, 1, 16},
      {TENON_DTYPE_U32, 1, 32},       {TENON_DTYPE_U64, 1, 64},     {TENON_DTYPE_C32, 5, 32}};
  const LeakCheck nothing_left;
  for (const Case& each : kCases) {
    TensorPtr tensor = empty({2, 3}, each.dtype);
    DLManagedTensorVersioned* managed = to_dlpack(tensor.get(), nullptr);
    EXPECT_EQ(managed->version.major, 1u);
    EXPECT_EQ(managed->flags, 0u);
    EXPECT_EQ(managed->tensor.dtype.code, each.code) << dtype_name(each.dtype);
    EXPECT_EQ(managed->tensor.dtype.bits, each.bits);
    EXPECT_EQ(managed->tensor.dtype.lanes, 1);
    const TensorPtr back = from_dlpack(managed);
    EXPECT_EQ(back->dtype(), each.dtype);
    EXPECT_EQ(back->data(), tensor->data());
    DLManagedTensor* legacy = to_dlpack_legacy(tensor.get(), nullptr);
    EXPECT_EQ(from_dlpack_legacy(legacy)->dtype(), each.dtype);
  }
}

TEST(Dlpack, ExportOfView_AppliesTheOffset) {
  const LeakCheck nothing_left;
  TensorPtr base = floats({2, 3}, {0, 1, 2, 3, 4, 5});
  TensorPtr column = new_alias(*base, dims({2}), dims({3}), 2);
  DLManagedTensorVersioned* managed = to_dlpack(column.get(), nullptr);
  const dlpack::View& view = managed->tensor;
  EXPECT_EQ(view.device.type, dlpack::kCpu);
  EXPECT_EQ(view.device.id, 0);
  EXPECT_EQ(view.ndim, 1);
  EXPECT_EQ(view.shape[0], 2);
  EXPECT_EQ(view.strides[0], 3);
  EXPECT_EQ(view.byte_offset, 0u);
  EXPECT_EQ(view.data, static_cast<float*>(base->data()) + 2);
  base.reset();
  column.reset();
  EXPECT_EQ(static_cast<float*>(view.data)[3], 5.0f);  // the export retains the memory
  managed->deleter(managed);
}

TEST(Dlpack, ExportSurvivesResize) {
  const TensorPtr tensor = floats({2}, {1, 2});
  DLManagedTensorVersioned* managed = to_dlpack(tensor.get(), nullptr);
  tensor->resize(dims({1}), nullptr);
  EXPECT_EQ(managed->tensor.shape[0], 2);
  managed->deleter(managed);
}

TEST(Dlpack, ExportOfWhatDlpackLacks_IsRefused) {
  const TensorPtr meta = empty({2}, TENON_DTYPE_F32, kMeta);
  EXPECT_NE(
      error_of(TENON_ERROR_NOT_SUPPORTED, [&] { to_dlpack(meta.get(), nullptr); }).find("meta"),
      std::string::npos);
  error_of(TENON_ERROR_NOT_SUPPORTED, [] { to_dlpack(Tensor::undefined(), nullptr); });
  const TensorPtr wrapper = empty({2});
  wrapper->set_keys(tenon_keyset{1} << (TENON_BACKEND_BITS + TENON_FUNCTIONALITY_WRAPPER));
  error_of(TENON_ERROR_NOT_SUPPORTED, [&] { to_dlpack(wrapper.get(), nullptr); });
  EXPECT_EQ(wrapper->use_count(), 1);
}

}  // namespace
}  // namespace tenon::tensor
