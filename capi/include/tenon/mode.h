/* SPDX-License-Identifier: Apache-2.0 */
/* Modes: handlers that see all calls of a thread. See overrides.h. */
#ifndef TENON_MODE_H
#define TENON_MODE_H

#include "tenon/common.h"
#include "tenon/object.h"

// Usage:
//
//   status = tenon_mode_push(TENON_MODE_WRAPPER, mode);
//   if (status) return status;
//   status = tenon_op_call_named(op, &arg, 1, NULL, NULL, 0, &ret, 1); /* calls type.dispatch */
//   if (!status) status = tenon_mode_pop(TENON_MODE_WRAPPER, mode);

TENON_BEGIN_DECLS

/* Kinds of modes. */
#define TENON_MODE_OVERRIDE 0u /* its type's `override` sees calls before dispatch */
#define TENON_MODE_WRAPPER 1u  /* its type's `dispatch` sees calls below autograd */

/// Turns a mode on for the calling thread, as its innermost mode. While the mode's handler runs,
/// the mode and all modes inside it are off.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for an unknown kind, or an object whose type lacks the
///            handler; TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: retains `mode` until it is popped.
/// Threads:   owner thread; thread states carry modes to other threads.
/// Since:     0.1
TENON_API tenon_status tenon_mode_push(uint32_t kind, tenon_object* mode);

/// Turns off the innermost mode of a kind, which must be `mode`.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for an unknown kind, TENON_ERROR_STATE if none is on, or
///            if another mode is the innermost of the calling thread. Nothing changes on failure.
/// Ownership: drops the reference that push took; the mode's release may run.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_mode_pop(uint32_t kind, const tenon_object* mode);

/// Returns a mode that is on; `depth` 0 is the innermost. Returns NULL if fewer modes are on.
///
/// Ownership: borrowed until it is popped.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_object* tenon_mode_get(uint32_t kind, int64_t depth);

TENON_END_DECLS

#endif /* TENON_MODE_H */
