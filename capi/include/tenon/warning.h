/* SPDX-License-Identifier: Apache-2.0 */
/* Warnings: told to a handler that the host sets. The library itself never prints. */
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

/* Told of each warning, on the thread that warns, with no lock held. `category` is such as
 * "UserWarning" or "DeprecationWarning"; `op` is the operator whose kernel runs, "" outside of
 * calls and in a fallback's own code. It may call anything, also warn. A failure (with an error, as
 * of any callback) becomes the failure of what warned. Texts are borrowed for the call. */
typedef tenon_status (*tenon_warning_fn)(void* ctx, const char* category, const char* message,
                                         const char* op);

/// Sets the process's handler; NULL: warnings are dropped, as they are at first. The one before is
/// no longer called by warnings that begin after this returned, and its deleter runs once the last
/// one that began earlier has ended.
///
/// Errors:    TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: takes over `ctx`, also on failure; `deleter` may be NULL.
/// Threads:   any thread; may run the deleter of the handler before.
/// Since:     0.1
TENON_API tenon_status tenon_warning_set_handler(tenon_warning_fn handler, void* ctx,
                                                 tenon_deleter deleter);

/// Sets the handler of a process whose host has set none: for bindings, whose users expect warnings
/// to be told as their language tells them. Does nothing once tenon_warning_set_handler was called,
/// with NULL too, or another binding was first.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for a NULL handler, TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: takes over `ctx`, also on failure and where it does nothing; `deleter` may be NULL.
/// Threads:   any thread; may run the deleter.
/// Since:     0.1
TENON_API tenon_status tenon_warning_set_default_handler(tenon_warning_fn handler, void* ctx,
                                                         tenon_deleter deleter);

/// Warns. Without a handler nothing happens.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for NULL, or what the handler returned.
/// Threads:   any thread; runs the handler.
/// Since:     0.1
TENON_API tenon_status tenon_warning_emit(const char* category, const char* message);

/// Warns, but only the first time for a site: an address that stands for the place, of a static
/// variable say. A site is used up when a handler was told and returned TENON_OK.
///
/// Errors:    as tenon_warning_emit; TENON_ERROR_OUT_OF_MEMORY.
/// Threads:   any thread; runs the handler. Of several threads one warns.
/// Since:     0.1
TENON_API tenon_status tenon_warning_emit_once(const void* site, const char* category,
                                               const char* message);

/// Forgets which sites have warned, so that each warns again: for tests.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API void tenon_warning_reset_once(void);

TENON_END_DECLS

#endif /* TENON_WARNING_H */
