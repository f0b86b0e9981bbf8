/* SPDX-License-Identifier: Apache-2.0 */
/* Devices: a type and an index, their names, and copies between their memories. */
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

/* Device types. A device type's number is its backend's bit in a key set (key.h). Numbers
 * between 2 and 22 are given to backends registered by name. */
#define TENON_DEVICE_CPU 0
#define TENON_DEVICE_CUDA 1
#define TENON_DEVICE_META 23

/* Added to the index of a device that a fake tensor claims (fake.h): constructors that are given
 * such a device make fakes. Only tenon_tensor_describe and tenon_fake_device show it. */
#define TENON_DEVICE_FAKE 1073741824

/* A device. Index -1 means the current device of that type; CPU and Meta always use 0 or -1. */
typedef struct tenon_device {
  int32_t type; /* TENON_DEVICE_* or a registered backend's number */
  int32_t index;
} tenon_device;

/// Parses "cpu", "cuda:1", "meta" or a registered backend's name with an optional index.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT when malformed, TENON_ERROR_NOT_FOUND for an unknown
///            name; the message lists the names that exist.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_device_parse(const char* text, tenon_device* out_device);

/// Returns the name of a device type, such as "cpu"; "unknown" for an unknown one.
///
/// Ownership: static text.
/// Threads:   any thread.
/// Since:     0.1
TENON_API const char* tenon_device_type_name(int32_t type);

/// Returns how many devices of a type there are; 0 without provider or driver.
///
/// Errors:    what the provider raised.
/// Threads:   any thread; *blocks* while a plugin loads.
/// Since:     0.1
TENON_API tenon_status tenon_device_count(int32_t device_type, int32_t* out_count);

/// Copies bytes between devices, ordered on the current stream of the non-CPU side.
///
/// Errors:    TENON_ERROR_NOT_FOUND without provider, TENON_ERROR_INVALID_ARGUMENT for a negative
///            size, or what the provider raised.
/// Threads:   any thread; *blocks* when `blocking` is non-zero.
/// Since:     0.1
TENON_API tenon_status tenon_device_copy(void* dst, const tenon_device* dst_device, const void* src,
                                         const tenon_device* src_device, int64_t nbytes,
                                         int32_t blocking);

TENON_END_DECLS

#endif /* TENON_DEVICE_H */
