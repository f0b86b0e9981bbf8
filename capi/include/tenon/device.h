/* SPDX-License-Identifier: Apache-2.0 */
/* Devices: types and indices, their names, and copies between their memories. */
#ifndef TENON_DEVICE_H
#define TENON_DEVICE_H

#include "tenon/common.h"

// Usage:
//
//   const tenon_device cpu = {TENON_DEVICE_CPU, 0};
//   tenon_device device;
//   status = tenon_device_parse("cuda:0", &device);
//   if (!status) status = tenon_device_copy(data, &cpu, source, &device, nbytes, 1);

TENON_BEGIN_DECLS

/* Device types. The number of a device type is its backend's bit in a key set (key.h). Backends
 * registered by name get numbers from 2 to 22. */
#define TENON_DEVICE_CPU 0
#define TENON_DEVICE_CUDA 1
#define TENON_DEVICE_META 23

/* Added to the index of a device that a fake tensor claims (fake.h). Factories that are called with
 * such a device create fake tensors. Only tenon_tensor_describe and tenon_fake_device return it. */
#define TENON_DEVICE_FAKE 1073741824

/* A device. Index -1 means the current device of the type. CPU and Meta only have index 0 or -1. */
typedef struct tenon_device {
  int32_t type; /* TENON_DEVICE_* or a registered backend's number */
  int32_t index;
} tenon_device;

/// Parses "cpu", "cuda:1", "meta" or a registered backend's name with an optional index.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for malformed text, TENON_ERROR_NOT_FOUND for an unknown
///            name; the message lists the names that exist.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_device_parse(const char* text, tenon_device* out_device);

/// Returns the name of a device type, such as "cpu", or "unknown" if the type is unknown.
///
/// Ownership: static text.
/// Threads:   any thread.
/// Since:     0.1
TENON_API const char* tenon_device_type_name(int32_t type);

/// Returns the number of devices of a type; 0 without provider or driver.
///
/// Errors:    what the provider raised.
/// Threads:   any thread; *blocks* while a plugin loads.
/// Since:     0.1
TENON_API tenon_status tenon_device_count(int32_t device_type, int32_t* out_count);

/// Copies bytes between devices, ordered on the current stream of the device that is not the CPU.
///
/// Errors:    TENON_ERROR_NOT_FOUND without provider, TENON_ERROR_INVALID_ARGUMENT for a negative
///            size, or what the provider raised.
/// Threads:   any thread; *blocks* if `blocking` is non-zero.
/// Since:     0.1
TENON_API tenon_status tenon_device_copy(void* dst, const tenon_device* dst_device, const void* src,
                                         const tenon_device* src_device, int64_t nbytes,
                                         int32_t blocking);

TENON_END_DECLS

#endif /* TENON_DEVICE_H */
