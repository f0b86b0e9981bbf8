/* SPDX-License-Identifier: Apache-2.0 */
/* The structs of DLPack 1.x (https://dmlc.github.io/dlpack), as its specification lays them out. */
#ifndef TENON_PYTHON_DLPACK_ABI_H
#define TENON_PYTHON_DLPACK_ABI_H

#include <stdint.h>

#define DL_CPU 1
#define DL_CUDA 2
#define DL_FLOAT 2
#define DL_COMPLEX 5
#define DL_FLAG_READ_ONLY 1u
#define DL_FLAG_COPIED 2u

typedef struct {
  int32_t device_type;
  int32_t device_id;
} dl_device;

typedef struct {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
} dl_dtype;

typedef struct {
  void* data;
  dl_device device;
  int32_t ndim;
  dl_dtype dtype;
  int64_t* shape;
  int64_t* strides;
  uint64_t byte_offset;
} dl_tensor;

struct DLManagedTensor {
  dl_tensor tensor;
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensor* self);
};

struct DLManagedTensorVersioned {
  uint32_t major;
  uint32_t minor;
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensorVersioned* self);
  uint64_t flags;
  dl_tensor tensor;
};

#endif
