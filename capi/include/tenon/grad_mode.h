/* SPDX-License-Identifier: Apache-2.0 */
/* Grad mode: whether the calling thread's calls may be recorded for gradients. */
#ifndef TENON_GRAD_MODE_H
#define TENON_GRAD_MODE_H

#include "tenon/common.h"
#include "tenon/key_guard.h"

// Usage:
//
//   tenon_key_guard guard;
//   status = tenon_grad_mode_enter(TENON_GRAD_MODE_OFF, &guard);
//   if (status) return status;
//   status = tenon_op_call_named(op, &arg, 1, NULL, NULL, 0, &ret, 1);
//   if (!status) status = tenon_key_guard_leave(&guard);

TENON_BEGIN_DECLS

/* Grad modes. A thread begins with ON. Thread states carry the mode to other threads.
 *
 * OFF removes Autograd from the thread's calls. Operators with an Autograd kernel that a user
 * registered (one without TENON_KERNEL_WHEN_TRACKED) are an exception: it runs in every mode. ON
 * inside OFF turns recording on again, except inside code below Autograd, which excludes the key.
 * INFERENCE is OFF, and also removes ADInplaceOrView from the thread's included keys. Tensors that
 * are created in it are inference tensors (TENON_TENSOR_INFERENCE), which carry neither Autograd
 * nor ADInplaceOrView. OFF and ON inside INFERENCE only change bit 0 of the mode, which is what
 * queries of the grad mode report: tensors are still created as inference tensors, and nothing is
 * recorded. NORMAL ends INFERENCE, too. */
#define TENON_GRAD_MODE_OFF 0u
#define TENON_GRAD_MODE_ON 1u
#define TENON_GRAD_MODE_INFERENCE 2u
#define TENON_GRAD_MODE_INFERENCE_ON 3u /* the mode that ON inside INFERENCE sets */
#define TENON_GRAD_MODE_NORMAL 4u       /* for guards only: ON, which also ends INFERENCE */

/// Enters a grad mode until the guard is left with tenon_key_guard_leave. No argument is NULL.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for an unknown mode, TENON_ERROR_OUT_OF_MEMORY on a
///            thread's first use.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_grad_mode_enter(uint32_t mode, tenon_key_guard* out_guard);

/// Sets the calling thread's grad mode, until it is set again or an enclosing guard is left.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for an unknown mode, TENON_ERROR_STATE for INFERENCE
///            outside it and for NORMAL, which only guards can enter, TENON_ERROR_OUT_OF_MEMORY on
///            a thread's first use.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_grad_mode_set(uint32_t mode);

/// Returns the calling thread's grad mode, TENON_GRAD_MODE_* up to INFERENCE_ON.
///
/// Threads:   any thread; the calling thread's.
/// Since:     0.1
TENON_API uint32_t tenon_grad_mode_get(void);

TENON_END_DECLS

#endif /* TENON_GRAD_MODE_H */
