/* SPDX-License-Identifier: Apache-2.0 */
/* Device providers: a plugin's functions for memory, copies, streams, events and generators of a
 * device. */
#ifndef TENON_DEVICE_PROVIDER_H
#define TENON_DEVICE_PROVIDER_H

#include "tenon/common.h"
#include "tenon/device.h"

// Usage:
//
//   tenon_device_provider provider = {sizeof provider};
//   status = tenon_backend_register("npu", &provider.device_type);
//   provider.device_count = count_devices;
//   provider.allocate = allocate;
//   provider.release = release;
//   provider.copy = copy;
//   if (!status) status = tenon_device_provider_register(&provider);

TENON_BEGIN_DECLS

/* The functions that a plugin provides for a device type. They receive `ctx` as their first
 * argument and run on any thread. A stream is the vendor's handle; NULL is the default stream. A
 * function that is NULL is not supported. */
typedef struct tenon_device_provider {
  uint32_t struct_size; /* sizeof(tenon_device_provider) */
  int32_t device_type;  /* TENON_DEVICE_* or a registered backend's number */
  void* ctx;
  tenon_deleter deleter; /* runs on ctx if the provider is refused; may be NULL */
  tenon_status (*device_count)(void* ctx, int32_t* out_count);
  tenon_status (*current_device)(void* ctx, int32_t* out_index);
  tenon_status (*allocate)(void* ctx, int32_t index, int64_t nbytes, void** out_data);
  void (*release)(void* ctx, int32_t index, void* data);
  /* Copies `nbytes` bytes between this device and the CPU, or between devices of this type, ordered
   * on `stream`. If `blocking` is non-zero, returns only after the copy has finished. */
  tenon_status (*copy)(void* ctx, void* dst, const tenon_device* dst_device, const void* src,
                       const tenon_device* src_device, int64_t nbytes, void* stream,
                       int32_t blocking);
  tenon_status (*current_stream)(void* ctx, int32_t index, void** out_stream);
  tenon_status (*set_current_stream)(void* ctx, int32_t index, void* stream);
  tenon_status (*stream_new)(void* ctx, int32_t index, void** out_stream);
  void (*stream_release)(void* ctx, int32_t index, void* stream);
  /* Blocks the calling thread until the work on a stream has finished. */
  tenon_status (*stream_synchronize)(void* ctx, int32_t index, void* stream);
  tenon_status (*event_new)(void* ctx, int32_t index, void** out_event);
  void (*event_release)(void* ctx, int32_t index, void* event);
  tenon_status (*event_record)(void* ctx, int32_t index, void* event, void* stream);
  /* Makes later work on `stream` wait for `event`; does not block the calling thread. */
  tenon_status (*event_wait)(void* ctx, int32_t index, void* event, void* stream);
  /* Random number generators. If all of these functions are NULL, the device has none. Several
   * threads may call them at once. The numbers of one `generator_random` call are consecutive. */
  tenon_status (*generator_new)(void* ctx, int32_t index, uint64_t seed, void** out_generator);
  void (*generator_release)(void* ctx, int32_t index, void* generator);
  tenon_status (*generator_seed)(void* ctx, void* generator, uint64_t seed);
  /* Stores the size of the state in `out_nbytes`. Also stores the state in `data` if that is not
   * NULL and large enough. */
  tenon_status (*generator_state)(void* ctx, void* generator, void* data, int64_t capacity,
                                  int64_t* out_nbytes);
  /* Restores a state, after validating the bytes, which may be foreign. The generator does not
   * change on failure. */
  tenon_status (*generator_set_state)(void* ctx, void* generator, const void* data, int64_t nbytes);
  /* Writes the next `count` numbers, uniformly distributed over all 2^32, to CPU memory. */
  tenon_status (*generator_random)(void* ctx, void* generator, uint32_t* out, int64_t count);
  /* Makes a device of this type the calling thread's current one. */
  tenon_status (*set_current_device)(void* ctx, int32_t index);
  /* Sets `out_done` to 1 if the work that was recorded in an event has finished, and to 0
   * otherwise. Does not block. */
  tenon_status (*event_query)(void* ctx, int32_t index, void* event, int32_t* out_done);
  uint64_t reserved[4]; /* zero */
} tenon_device_provider;

/// Registers the provider of a device type, which can have only one. The struct is copied.
///
/// Errors:    TENON_ERROR_ALREADY_EXISTS, TENON_ERROR_ABI for a bad struct_size,
///            TENON_ERROR_NOT_FOUND for a device type without backend.
/// Ownership: takes over provider->ctx, even on failure.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_device_provider_register(const tenon_device_provider* provider);

/// Returns the provider of a device type. Loads the plugin that ships for the type if necessary.
///
/// Errors:    TENON_ERROR_NOT_FOUND if no plugin provides it, or why loading it failed.
/// Ownership: borrowed, never freed.
/// Threads:   any thread; *blocks* while a plugin loads.
/// Since:     0.1
TENON_API tenon_status tenon_device_provider_get(int32_t device_type,
                                                 const tenon_device_provider** out_provider);

TENON_END_DECLS

#endif /* TENON_DEVICE_PROVIDER_H */
