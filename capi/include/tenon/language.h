/* SPDX-License-Identifier: Apache-2.0 */
/* Languages: the numbers that identify them in errors, kernels, objects and cells. */
#ifndef TENON_LANGUAGE_H
#define TENON_LANGUAGE_H

#include "tenon/common.h"

// Usage:
//
//   uint32_t language = 0;
//   status = tenon_language_register("Lua", &language);
//   if (!status) kernel.language = language;

TENON_BEGIN_DECLS

/* Languages with fixed numbers. Others are registered by name and get numbers from 6 to 31. */
#define TENON_LANGUAGE_NONE 0u
#define TENON_LANGUAGE_C 1u
#define TENON_LANGUAGE_CPP 2u
#define TENON_LANGUAGE_PYTHON 3u
#define TENON_LANGUAGE_JAVA 4u
#define TENON_LANGUAGE_RUST 5u

/// Registers a language, or one runtime of a language, such as "Go" or "C++ (libc++)", and returns
/// its number. Registering the same name again returns the same number. "C", "C++", "Python",
/// "Java" and "Rust" have fixed numbers.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for NULL or an empty name, TENON_ERROR_STATE if all
///            numbers are taken, TENON_ERROR_OUT_OF_MEMORY.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_language_register(const char* name, uint32_t* out_language);

/// Returns the name of a language, "" for TENON_LANGUAGE_NONE, or NULL for an unknown number.
///
/// Ownership: static text.
/// Threads:   any thread.
/// Since:     0.1
TENON_API const char* tenon_language_name(uint32_t language);

/* Adds the calling thread's current frames in this language to an error with tenon_error_add_frame,
 * innermost first, at most as many as tenon_error_frames_wanted returns. It must not fail. */
typedef void (*tenon_frames_fn)(void* ctx, tenon_error* error);

/// Sets the function that finds the calling thread's current frames in a language. They are kept
/// for nodes of backward graphs in anomaly mode and for nodes of recorded graphs. The function can
/// be set once per language and is never removed.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for no function or an unknown language,
///            TENON_ERROR_ALREADY_EXISTS.
/// Ownership: `ctx` must never be freed.
/// Threads:   any thread; the function runs on any thread, with no lock held.
/// Since:     0.1
TENON_API tenon_status tenon_language_set_frames(uint32_t language, tenon_frames_fn frames,
                                                 void* ctx);

TENON_END_DECLS

#endif /* TENON_LANGUAGE_H */
