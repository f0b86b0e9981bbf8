/* SPDX-License-Identifier: Apache-2.0 */
/* Languages: the numbers that errors, kernels, objects and cells carry. */
#ifndef TENON_LANGUAGE_H
#define TENON_LANGUAGE_H

#include "tenon/common.h"

// Usage:
//
//   uint32_t language = 0;
//   status = tenon_language_register("Lua", &language);
//   if (!status) kernel.language = language;

TENON_BEGIN_DECLS

/* Languages with fixed numbers. Others are registered by name and get a number from 6 to 31. */
#define TENON_LANGUAGE_NONE 0u
#define TENON_LANGUAGE_C 1u
#define TENON_LANGUAGE_CPP 2u
#define TENON_LANGUAGE_PYTHON 3u
#define TENON_LANGUAGE_JAVA 4u
#define TENON_LANGUAGE_RUST 5u

/// Gives a number to a language, or to one runtime of a language, such as "Go" or "C++ (libc++)".
/// The same name again returns the same number; "C", "C++", "Python", "Java" and "Rust" have
/// theirs.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for NULL or an empty name, TENON_ERROR_STATE when all
///            numbers are taken, TENON_ERROR_OUT_OF_MEMORY.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_language_register(const char* name, uint32_t* out_language);

/// Returns the name of a language, "" for TENON_LANGUAGE_NONE, NULL for an unknown number.
///
/// Ownership: static text.
/// Threads:   any thread.
/// Since:     0.1
TENON_API const char* tenon_language_name(uint32_t language);

/* Adds the frames of its language that the calling thread is in, the innermost first, with
 * tenon_error_add_frame: as many as tenon_error_frames_wanted says. Must not fail. */
typedef void (*tenon_frames_fn)(void* ctx, tenon_error* error);

/// Says how to find out where in a language's code a thread is: for nodes of backward graphs in
/// anomaly mode, and of recorded graphs. Once a language; the function stays for ever.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for no function or an unknown language,
///            TENON_ERROR_ALREADY_EXISTS.
/// Ownership: `ctx` must stay for ever.
/// Threads:   any thread; the function runs on any, with no lock held.
/// Since:     0.1
TENON_API tenon_status tenon_language_set_frames(uint32_t language, tenon_frames_fn frames,
                                                 void* ctx);

TENON_END_DECLS

#endif /* TENON_LANGUAGE_H */
