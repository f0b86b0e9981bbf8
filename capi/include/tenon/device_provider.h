/* SPDX-License-Identifier: Apache-2.0 */
/* Device providers: how a plugin gives a device memory, copies, streams, events and generators. */
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

/* What a device type can do. Functions get `ctx` first and run on any thread. A stream is the
 * vendor's handle; NULL is the default stream. NULL functions mean "not supported". */
typedef struct tenon_device_provider {
  uint32_t struct_size; /* sizeof(tenon_device_provider) */
  int32_t device_type;  /* TENON_DEVICE_* or a registered backend's number */
  void* ctx;
  tenon_deleter deleter; /* runs on ctx when the provider is refused; may be NULL */
  tenon_status (*device_count)(void* ctx, int32_t* out_count);
  tenon_status (*current_device)(void* ctx, int32_t* out_index);
  tenon_status (*allocate)(void* ctx, int32_t index, int64_t nbytes, void** out_data);
  void (*release)(void* ctx, int32_t index, void* data);
  /* Copies nbytes between this device and the CPU, or within this type, ordered on `stream`;
   * `blocking` non-zero returns only when done. */
  tenon_status (*copy)(void* ctx, void* dst, const tenon_device* dst_device, const void* src,
                       const tenon_device* src_device, int64_t nbytes, void* stream,
                       int32_t blocking);
  tenon_status (*current_stream)(void* ctx, int32_t index, void** out_stream);
  tenon_status (*set_current_stream)(void* ctx, int32_t index, void* stream);
  tenon_status (*stream_new)(void* ctx, int32_t index, void** out_stream);
  void (*stream_release)(void* ctx, int32_t index, void* stream);
  /* Waits on the calling thread for a stream. */
  tenon_status (*stream_synchronize)(void* ctx, int32_t index, void* stream);
  tenon_status (*event_new)(void* ctx, int32_t index, void** out_event);
  void (*event_release)(void* ctx, int32_t index, void* event);
  tenon_status (*event_record)(void* ctx, int32_t index, void* event, void* stream);
  /* Makes later work on `stream` wait for `event`, without waiting here. */
  tenon_status (*event_wait)(void* ctx, int32_t index, void* event, void* stream);
  /* Generators of random numbers; NULL in all: the device has none. They may be asked on several
   * threads at once: one call of `generator_random` gives numbers that follow each other. */
  tenon_status (*generator_new)(void* ctx, int32_t index, uint64_t seed, void** out_generator);
  void (*generator_release)(void* ctx, int32_t index, void* generator);
  tenon_status (*generator_seed)(void* ctx, void* generator, uint64_t seed);
  /* The size into out_nbytes, and the state into `data` when it is not NULL and has room. */
  tenon_status (*generator_state)(void* ctx, void* generator, void* data, int64_t capacity,
                                  int64_t* out_nbytes);
  /* Checks foreign bytes; a failure leaves the generator as it was. */
  tenon_status (*generator_set_state)(void* ctx, void* generator, const void* data, int64_t nbytes);
  /* The next numbers, uniform over all 2^32, into memory of the CPU. */
  tenon_status (*generator_random)(void* ctx, void* generator, uint32_t* out, int64_t count);
  /* Makes a device of this type the calling thread's current one. */
  tenon_status (*set_current_device)(void* ctx, int32_t index);
  /* Whether the work that an event stands for is done, without waiting: 1 or 0. */
  tenon_status (*event_query)(void* ctx, int32_t index, void* event, int32_t* out_done);
  uint64_t reserved[4]; /* zero */
} tenon_device_provider;

/// Registers the provider of a device type; the struct is copied. One provider per type.
///
/// Errors:    TENON_ERROR_ALREADY_EXISTS, TENON_ERROR_ABI for a bad struct_size,
///            TENON_ERROR_NOT_FOUND for a device type that is no backend's.
/// Ownership: takes over provider->ctx, also when this fails.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_device_provider_register(const tenon_device_provider* provider);

/// Returns the provider of a device type, loading the plugin that ships for it when needed.
///
/// Errors:    TENON_ERROR_NOT_FOUND when no plugin provides it, or why loading it failed.
/// Ownership: borrowed for ever.
/// Threads:   any thread; *blocks* while a plugin loads.
/// Since:     0.1
TENON_API tenon_status tenon_device_provider_get(int32_t device_type,
                                                 const tenon_device_provider** out_provider);

TENON_END_DECLS

#endif /* TENON_DEVICE_PROVIDER_H */
