/* SPDX-License-Identifier: Apache-2.0 */
/* Warnings: passed to a handler that the host sets. The library itself never prints. */
#ifndef TENON_WARNING_H
#define TENON_WARNING_H

#include "tenon/common.h"

// Usage:
//
//   /* tenon_status print(void* ctx, const char* category, const char* message, const char* op) {
//    *   fprintf(stderr, "%s: %s\n", category, message);
//    *   return TENON_OK;
//    * } */
//   status = tenon_warning_set_handler(print, NULL, NULL);
//   if (!status) status = tenon_warning_emit("UserWarning", "x is deprecated");

TENON_BEGIN_DECLS

/* Handles a warning, on the thread that warns, with no lock held. `category` is for example
 * "UserWarning" or "DeprecationWarning". `op` is the operator whose kernel is running, or ""
 * outside of calls and in a fallback's own code. The handler may call any function, and may warn
 * itself. If it fails (with an error, like every callback), the operation that warned fails with
 * that error. Texts are borrowed for the call. */
typedef tenon_status (*tenon_warning_fn)(void* ctx, const char* category, const char* message,
                                         const char* op);

/// Sets the process's handler. NULL, the initial state, drops warnings. Warnings that begin after
/// this function has returned no longer use the previous handler; its deleter runs after the last
/// warning that began earlier has ended.
///
/// Errors:    TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: takes over `ctx`, also on failure; `deleter` may be NULL.
/// Threads:   any thread; may run the deleter of the previous handler.
/// Since:     0.1
TENON_API tenon_status tenon_warning_set_handler(tenon_warning_fn handler, void* ctx,
                                                 tenon_deleter deleter);

/// Sets the handler of a process whose host has set none. It is for bindings, whose users expect
/// warnings to be reported as in their language. Does nothing if tenon_warning_set_handler was
/// called before, even with NULL, or if another binding has set a default handler.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for a NULL handler, TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: takes over `ctx`, also on failure and if the call does nothing; `deleter` may be
///            NULL.
/// Threads:   any thread; may run the deleter.
/// Since:     0.1
TENON_API tenon_status tenon_warning_set_default_handler(tenon_warning_fn handler, void* ctx,
                                                         tenon_deleter deleter);

/// Passes a warning to the handler. Without a handler nothing happens.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for NULL, or what the handler returned.
/// Threads:   any thread; runs the handler.
/// Since:     0.1
TENON_API tenon_status tenon_warning_emit(const char* category, const char* message);

/// Passes a warning to the handler, but only once per site. A site is any unique address that
/// identifies the place in the code, for example that of a static variable. It counts as warned
/// once a handler has returned TENON_OK for it.
///
/// Errors:    as tenon_warning_emit; TENON_ERROR_OUT_OF_MEMORY.
/// Threads:   any thread; runs the handler. If several threads warn at once, one of them does.
/// Since:     0.1
TENON_API tenon_status tenon_warning_emit_once(const void* site, const char* category,
                                               const char* message);

/// Resets all sites, so that each of them warns again. For tests.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API void tenon_warning_reset_once(void);

TENON_END_DECLS

#endif /* TENON_WARNING_H */
