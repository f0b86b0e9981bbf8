/* SPDX-License-Identifier: Apache-2.0 */
/* Streams: a device's queues of work, created and ordered by its provider. */
#ifndef TENON_STREAM_H
#define TENON_STREAM_H

#include "tenon/common.h"
#include "tenon/device.h"

// Usage:
//
//   tenon_stream stream;
//   status = tenon_stream_new(&device, &stream);
//   if (!status) status = tenon_stream_set_current(&stream);
//   /* ... calls on the device ... */
//   if (!status) status = tenon_stream_synchronize(&stream);

TENON_BEGIN_DECLS

/* A stream of a device: the vendor's handle. The struct owns nothing, so its user must make sure
 * that the stream is not released while the struct is in use. */
typedef struct tenon_stream {
  void* handle;
  tenon_device device;
} tenon_stream;

/// Returns the current stream of a device. The provider is asked on each call; nothing is cached.
///
/// Errors:    TENON_ERROR_NOT_FOUND without provider; the CPU's stream is NULL.
/// Ownership: borrowed from the device.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_stream_current(const tenon_device* device, tenon_stream* out_stream);

/// Makes a stream the calling thread's current one on its device.
///
/// Errors:    TENON_ERROR_NOT_FOUND without provider, or what the provider raised.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_stream_set_current(const tenon_stream* stream);

/// Creates a stream.
///
/// Errors:    TENON_ERROR_NOT_SUPPORTED on the CPU, or what the provider raised.
/// Ownership: the caller releases it with tenon_stream_release.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_stream_new(const tenon_device* device, tenon_stream* out_stream);

/// Releases a stream that was created by tenon_stream_new.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API void tenon_stream_release(const tenon_stream* stream);

/// Blocks until the work queued on a stream has finished. A CPU stream has no pending work.
///
/// Errors:    what the provider raised.
/// Threads:   any thread; *blocks*.
/// Since:     0.1
TENON_API tenon_status tenon_stream_synchronize(const tenon_stream* stream);

TENON_END_DECLS

#endif /* TENON_STREAM_H */
