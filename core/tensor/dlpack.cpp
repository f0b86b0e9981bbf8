// SPDX-License-Identifier: Apache-2.0
#include "tensor/dlpack.h"

#include <algorithm>

#include "base/check.h"
#include "tensor/device_provider.h"

namespace tenon::tensor {

namespace {

using dlpack::DataType;
using dlpack::View;

struct DtypeCode {
  tenon_dtype dtype;
  uint8_t code;
  uint8_t bits;
};

constexpr DtypeCode kDtypeCodes[] = {
    {TENON_DTYPE_BOOL, dlpack::kBool, 8},
    {TENON_DTYPE_U8, dlpack::kUint, 8},
    {TENON_DTYPE_I8, dlpack::kInt, 8},
    {TENON_DTYPE_I16, dlpack::kInt, 16},
    {TENON_DTYPE_I32, dlpack::kInt, 32},
    {TENON_DTYPE_I64, dlpack::kInt, 64},
    {TENON_DTYPE_U16, dlpack::kUint, 16},
    {TENON_DTYPE_U32, dlpack::kUint, 32},
    {TENON_DTYPE_U64, dlpack::kUint, 64},
    {TENON_DTYPE_F16, dlpack::kFloat, 16},
    {TENON_DTYPE_F32, dlpack::kFloat, 32},
    {TENON_DTYPE_F64, dlpack::kFloat, 64},
    {TENON_DTYPE_BF16, dlpack::kBfloat, 16},
    {TENON_DTYPE_C32, dlpack::kComplex, 32},
    {TENON_DTYPE_C64, dlpack::kComplex, 64},
    {TENON_DTYPE_C128, dlpack::kComplex, 128},
    {TENON_DTYPE_F8_E4M3FN, dlpack::kFloat8E4m3fn, 8},
    {TENON_DTYPE_F8_E5M2, dlpack::kFloat8E5m2, 8},
};

// ---- Export -----------------------------------------------------------------------------------

constexpr const char* kExport = "tenon_tensor_to_dlpack";

DataType export_dtype(tenon_dtype dtype) {
  for (const DtypeCode& entry : kDtypeCodes) {
    if (entry.dtype == dtype) return {entry.code, entry.bits, 1};
  }
  fail(TENON_ERROR_NOT_SUPPORTED, kExport, ": dtype must be one that DLPack supports, got ",
       dtype_name(dtype));
}

dlpack::Device export_device(const tenon_device& device) {
  if (device.type == TENON_DEVICE_CPU) return {dlpack::kCpu, 0};
  if (device.type == TENON_DEVICE_CUDA) return {dlpack::kCuda, device.index};
  fail(TENON_ERROR_NOT_SUPPORTED, kExport, ": device must be one that DLPack supports, got ",
       print_device(device));
}

// Keeps what an exported struct needs until its deleter runs. The shape is copied, because the
// tensor may be resized while exported.
template <class Managed>
struct Export {
  Managed managed;
  TensorPtr tensor;
  int64_t dims[2 * TENON_TENSOR_MAX_DIMS];

  static void destroy(Managed* self) { delete static_cast<Export*>(self->manager_ctx); }
};

template <class Managed>
Managed* export_tensor(Tensor* tensor, void* stream) {
  TENON_CHECK(!tensor->is_undefined(), TENON_ERROR_NOT_SUPPORTED, kExport,
              ": tensor must be defined, got the undefined tensor");
  constexpr tenon_keyset kDense = tenon_keyset{1}
                                  << (TENON_BACKEND_BITS + TENON_FUNCTIONALITY_DENSE);
  TENON_CHECK((tensor->keys() & kDense) != 0 && (tensor->flags() & TENON_TENSOR_SYMBOLIC) == 0,
              TENON_ERROR_NOT_SUPPORTED, kExport,
              ": tensor must be dense with concrete sizes, got a symbolic or hollow tensor");
  View view{};
  view.dtype = export_dtype(tensor->dtype());
  view.device = export_device(tensor->device());
  order_after_current(tensor->device(), stream);
  auto* result = new Export<Managed>;
  tensor->retain();
  result->tensor = TensorPtr::adopt(tensor);
  int64_t* const strides = result->dims + TENON_TENSOR_MAX_DIMS;
  view.ndim = tensor->copy_dims(result->dims, strides);
  view.data = tensor->data();  // read after the shape: memory only grows, so the shape fits it
  view.shape = result->dims;
  view.strides = strides;
  result->managed = {};
  result->managed.tensor = view;
  result->managed.manager_ctx = result;
  result->managed.deleter = &Export<Managed>::destroy;
  return &result->managed;
}

// ---- Import -----------------------------------------------------------------------------------

constexpr const char* kImport = "tenon_tensor_from_dlpack";

tenon_dtype import_dtype(const DataType& dtype) {
  TENON_CHECK(dtype.lanes == 1, TENON_ERROR_NOT_SUPPORTED, kImport, ": lanes must be 1, got ",
              dtype.lanes);
  for (const DtypeCode& entry : kDtypeCodes) {
    if (entry.code == dtype.code && entry.bits == dtype.bits) return entry.dtype;
  }
  fail(TENON_ERROR_NOT_SUPPORTED, kImport, ": dtype must be one that Tenon supports, got code ",
       dtype.code, " with ", dtype.bits, " bits");
}

tenon_device import_device(const dlpack::Device& device) {
  // Pinned memory of a GPU driver is plain memory for the CPU.
  if (device.type == dlpack::kCpu || device.type == dlpack::kCudaHost) return {TENON_DEVICE_CPU, 0};
  TENON_CHECK(device.type == dlpack::kCuda, TENON_ERROR_NOT_SUPPORTED, kImport,
              ": device type must be 1 (cpu), 2 (cuda) or 3 (pinned cpu memory), got ",
              device.type);
  TENON_CHECK_ARG(device.id >= 0, kImport, ": device id must be >= 0, got ", device.id);
  return {TENON_DEVICE_CUDA, device.id};
}

// Makes a tensor from a checked description. The tensor does not own the memory yet.
TensorPtr import_view(const View& view, bool read_only) {
  const tenon_dtype dtype = import_dtype(view.dtype);
  const tenon_device device = import_device(view.device);
  TENON_CHECK_ARG(view.ndim >= 0 && view.ndim <= TENON_TENSOR_MAX_DIMS, kImport,
                  ": ndim must be in [0, ", TENON_TENSOR_MAX_DIMS, "], got ", view.ndim);
  TENON_CHECK_ARG(view.shape != nullptr || view.ndim == 0, kImport,
                  ": shape must be an address, got NULL for ", view.ndim, " dims");
  const Dims sizes(view.shape, static_cast<size_t>(view.ndim));
  const int64_t numel = checked_numel(kImport, sizes);
  const int64_t itemsize = dtype_size(dtype);
  int64_t extent = numel;
  if (view.strides != nullptr)
    extent = checked_extent(kImport, sizes, {view.strides, sizes.size()});
  checked_bytes(kImport, extent, itemsize);
  const auto start = reinterpret_cast<uintptr_t>(view.data);
  void* data = nullptr;
  if (numel != 0) {
    TENON_CHECK_ARG(view.data != nullptr, kImport, ": data must be an address, got NULL for ",
                    numel, " elements");
    TENON_CHECK_ARG(view.byte_offset <= UINTPTR_MAX - start, kImport,
                    ": byte_offset must not exceed the address space, got ", view.byte_offset);
    const auto alignment = static_cast<uint64_t>(is_complex(dtype) ? itemsize / 2 : itemsize);
    TENON_CHECK_ARG((start + view.byte_offset) % alignment == 0, kImport,
                    ": data with byte_offset must be aligned to ", alignment, " bytes, got offset ",
                    view.byte_offset);
    // Not pointer arithmetic: a wrong offset may exceed the distance that pointers can move by.
    data = reinterpret_cast<void*>(start + view.byte_offset);
  }
  return wrap_tensor(data, dtype, &device, sizes, view.strides, nullptr, nullptr, read_only);
}

template <class Managed>
void release_managed(void* context) {
  auto* managed = static_cast<Managed*>(context);
  if (managed->deleter != nullptr) managed->deleter(managed);
}

}  // namespace

DLManagedTensorVersioned* to_dlpack(Tensor* tensor, void* stream) {
  auto* managed = export_tensor<DLManagedTensorVersioned>(tensor, stream);
  managed->version = dlpack::kVersion;
  if (tensor->storage()->is_read_only()) managed->flags |= dlpack::kReadOnly;
  return managed;
}

DLManagedTensor* to_dlpack_legacy(Tensor* tensor, void* stream) {
  TENON_CHECK(!tensor->storage()->is_read_only(), TENON_ERROR_NOT_SUPPORTED,
              "tenon_tensor_to_dlpack_legacy: tensor must be writable, got a read-only one, which "
              "needs the versioned struct (tenon_tensor_to_dlpack)");
  return export_tensor<DLManagedTensor>(tensor, stream);
}

TensorPtr from_dlpack(DLManagedTensorVersioned* managed) {
  TENON_CHECK_ARG(managed != nullptr, kImport, ": managed must be given, got NULL");
  if (managed->version.major != dlpack::kVersion.major) {
    // Only the fields before `flags` of an unknown version may be read.
    const uint32_t major = managed->version.major;
    release_managed<DLManagedTensorVersioned>(managed);
    fail(TENON_ERROR_ABI, kImport, ": major version must be ", dlpack::kVersion.major, ", got ",
         major);
  }
  TensorPtr tensor = import_view(managed->tensor, (managed->flags & dlpack::kReadOnly) != 0);
  tensor->storage()->set_deleter(managed, &release_managed<DLManagedTensorVersioned>);
  return tensor;
}

TensorPtr from_dlpack_legacy(DLManagedTensor* managed) {
  TENON_CHECK_ARG(managed != nullptr, "tenon_tensor_from_dlpack_legacy: managed must be given, ",
                  "got NULL");
  TensorPtr tensor = import_view(managed->tensor, /*read_only=*/false);
  tensor->storage()->set_deleter(managed, &release_managed<DLManagedTensor>);
  return tensor;
}

}  // namespace tenon::tensor
