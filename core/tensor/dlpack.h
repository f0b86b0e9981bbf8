// SPDX-License-Identifier: Apache-2.0
// DLPack: exchange of tensors with other libraries, versioned and legacy structs, both ways.
#pragma once

#include <cstdint>

#include "tensor/tensor.h"

namespace tenon::tensor::dlpack {

// The structs below are laid out as in version 1.1 of https://dmlc.github.io/dlpack.
struct Version {
  uint32_t major;
  uint32_t minor;
};

struct Device {
  int32_t type;
  int32_t id;
};

struct DataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};

/// A borrowed description: strides in elements, NULL for row-major.
struct View {
  void* data;
  Device device;
  int32_t ndim;
  DataType dtype;
  int64_t* shape;
  int64_t* strides;
  uint64_t byte_offset;
};

constexpr Version kVersion = {1, 1};
constexpr uint64_t kReadOnly = 1;  // bits of DLManagedTensorVersioned::flags
constexpr uint64_t kIsCopied = 2;

enum DeviceType : int32_t { kCpu = 1, kCuda = 2, kCudaHost = 3 };

enum TypeCode : uint8_t {
  kInt = 0,
  kUint = 1,
  kFloat = 2,
  kBfloat = 4,
  kComplex = 5,
  kBool = 6,
  kFloat8E4m3fn = 10,
  kFloat8E5m2 = 12
};

}  // namespace tenon::tensor::dlpack

struct DLManagedTensor {
  tenon::tensor::dlpack::View tensor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensor* self);
};

struct DLManagedTensorVersioned {
  tenon::tensor::dlpack::Version version;
  void* manager_ctx;
  void (*deleter)(DLManagedTensorVersioned* self);
  uint64_t flags;
  tenon::tensor::dlpack::View tensor;
};

namespace tenon::tensor {

static_assert(sizeof(dlpack::View) == 48 && sizeof(DLManagedTensor) == 64);
static_assert(sizeof(DLManagedTensorVersioned) == 80);

/// See tenon_tensor_to_dlpack and its siblings in tenon/tensor.h.
DLManagedTensorVersioned* to_dlpack(Tensor* tensor, void* stream);
DLManagedTensor* to_dlpack_legacy(Tensor* tensor, void* stream);
TensorPtr from_dlpack(DLManagedTensorVersioned* managed);
TensorPtr from_dlpack_legacy(DLManagedTensor* managed);

}  // namespace tenon::tensor
