/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers: refcounted memory for texts and lists that are passed between languages. */
#ifndef TENON_BUFFER_H
#define TENON_BUFFER_H

#include "tenon/common.h"

// Usage:
//
//   tenon_buffer* text = NULL;
//   status = tenon_introspect_dump(op, &text);
//   if (status) return status;
//   fwrite(tenon_buffer_data(text), 1, (size_t)tenon_buffer_size(text), stdout);
//   tenon_buffer_release(text);

TENON_BEGIN_DECLS

/// Allocates a zeroed buffer of `size` bytes, followed by a NUL byte that is not counted in `size`.
///
/// Errors:    TENON_ERROR_OUT_OF_MEMORY, TENON_ERROR_INVALID_ARGUMENT for a negative size.
/// Ownership: new reference in `out_buffer`.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_buffer_new(int64_t size, tenon_buffer** out_buffer);

/// Wraps foreign memory. `deleter(ctx)` runs when the last reference is dropped, or if this
/// function fails.
///
/// Errors:    TENON_ERROR_OUT_OF_MEMORY, TENON_ERROR_INVALID_ARGUMENT for a negative size or NULL.
/// Ownership: new reference in `out_buffer`; takes over `ctx`.
/// Threads:   any thread; the deleter runs on the thread of the last release.
/// Since:     0.1
TENON_API tenon_status tenon_buffer_wrap(void* data, int64_t size, void* ctx, tenon_deleter deleter,
                                         tenon_buffer** out_buffer);

/// Adds a reference. NULL is accepted and returned.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_buffer* tenon_buffer_retain(tenon_buffer* buffer);

/// Drops a reference. NULL is accepted.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API void tenon_buffer_release(tenon_buffer* buffer);

/// Returns the memory. Buffers that hold text are NUL-terminated.
///
/// Ownership: borrowed until the buffer dies.
/// Threads:   any thread.
/// Since:     0.1
TENON_API void* tenon_buffer_data(const tenon_buffer* buffer);

/// Returns the size in bytes, without the trailing NUL.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int64_t tenon_buffer_size(const tenon_buffer* buffer);

TENON_END_DECLS

#endif /* TENON_BUFFER_H */
