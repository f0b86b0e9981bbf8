/* SPDX-License-Identifier: Apache-2.0 */
/* Streams: queues of work of a device, made and ordered by its provider. */
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

/* A stream of a device: the vendor's handle, asked of the device's provider at call time. It owns
 * nothing: whoever keeps one sees to it that the stream is not released meanwhile. */
typedef struct tenon_stream {
  void* handle;
  tenon_device device;
} tenon_stream;

/// Returns the current stream of a device, asked of its provider now; never cached.
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

/// Makes a new stream.
///
/// Errors:    TENON_ERROR_NOT_SUPPORTED on the CPU, or what the provider raised.
/// Ownership: the caller ends it with tenon_stream_release.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_stream_new(const tenon_device* device, tenon_stream* out_stream);

/// Ends a stream made by tenon_stream_new.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API void tenon_stream_release(const tenon_stream* stream);

/// Waits until the work queued on a stream is done. A CPU stream is always done.
///
/// Errors:    what the provider raised.
/// Threads:   any thread; *blocks*.
/// Since:     0.1
TENON_API tenon_status tenon_stream_synchronize(const tenon_stream* stream);

TENON_END_DECLS

#endif /* TENON_STREAM_H */
