/* SPDX-License-Identifier: Apache-2.0 */
/* Guards: scoped changes of the calling thread's keys or grad mode. */
#ifndef TENON_KEY_GUARD_H
#define TENON_KEY_GUARD_H

#include "tenon/common.h"
#include "tenon/key.h"

// Usage:
//
//   tenon_key_guard guard;
//   status = tenon_key_guard_exclude(own, &guard);
//   if (status) return status;
//   status = tenon_op_call_named(op, &arg, 1, NULL, NULL, 0, &ret, 1);
//   if (!status) status = tenon_key_guard_leave(&guard);

TENON_BEGIN_DECLS

/* The state that a guard restores. Plain memory of the caller, filled by the function that enters
 * the guard and read only by tenon_key_guard_leave. */
typedef struct tenon_key_guard {
  uint64_t include;
  uint64_t exclude;
  uint64_t known;     /* keys declared at run time whose defaults the words include */
  const void* thread; /* the thread that entered */
  uint32_t depth;     /* number of guards that the thread was inside of */
  uint32_t grad_mode; /* TENON_GRAD_MODE_* */
  uint64_t reserved;  /* zero */
} tenon_key_guard;

/// Adds keys to the thread's included set until the guard is left. Backend bits are ignored: a
/// guard never selects a backend. No argument is NULL.
///
/// Errors:    TENON_ERROR_OUT_OF_MEMORY on a thread's first use.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_key_guard_include(tenon_keyset keys, tenon_key_guard* out_guard);

/// Adds keys to the thread's excluded set until the guard is left. Backend bits are ignored. Fake
/// is never excluded, because no kernel below it can read a fake tensor. No argument is NULL.
///
/// Errors:    TENON_ERROR_OUT_OF_MEMORY on a thread's first use.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_key_guard_exclude(tenon_keyset keys, tenon_key_guard* out_guard);

/// Replaces both sets until the guard is left. Backend bits are ignored, and Fake is never
/// excluded. No argument is NULL.
///
/// Errors:    TENON_ERROR_OUT_OF_MEMORY on a thread's first use.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_key_guard_force(tenon_keyset include, tenon_keyset exclude,
                                             tenon_key_guard* out_guard);

/// Leaves a guard: restores the keys and grad mode of the time when it was entered. No argument is
/// NULL.
///
/// Errors:    TENON_ERROR_STATE on another thread than the one that entered it, and for a guard
///            that is not the innermost of its thread. Nothing changes on failure.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_key_guard_leave(const tenon_key_guard* guard);

TENON_END_DECLS

#endif /* TENON_KEY_GUARD_H */
