/* SPDX-License-Identifier: Apache-2.0 */
/* Forward mode: dual levels, in which calls propagate tangents of tensors. */
#ifndef TENON_FORWARD_AD_H
#define TENON_FORWARD_AD_H

#include "tenon/common.h"
#include "tenon/tensor.h"

// Usage:
//
//   int64_t level = 0;
//   status = tenon_dual_enter(&level);
//   if (status) return status;
//   status = tenon_dual_make(level, x, tangent, &dual);
//   /* ... y is computed from dual ... */
//   if (!status) status = tenon_dual_unpack(level, y, &primal, &tangent_of_y);
//   if (!status) status = tenon_dual_leave(level);

TENON_BEGIN_DECLS

/* Between tenon_dual_enter and tenon_dual_leave a tensor may have a tangent: the derivative of its
 * elements along one direction. A call with such tensors computes tangents of its results with the
 * operator's tangent or gradient formula, also in no_grad mode, but not in inference mode. A view
 * of a tensor has the corresponding view of its tangent, and an in-place write also writes the
 * tangent in place. Operations on tangents are recorded like others, so that backward passes and
 * forward mode can be combined.
 *
 * A level belongs to its thread. Calls on other threads ignore it unless they run under a thread
 * state that was captured inside of the level. A thread can have only one level at a time. */

/// Opens a dual level on the calling thread and returns its number.
///
/// Errors:    TENON_ERROR_STATE inside of another level, TENON_ERROR_OUT_OF_MEMORY.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_dual_enter(int64_t* out_level);

/// Closes the thread's level. All its tangents are dropped, on other threads too.
///
/// Errors:    TENON_ERROR_STATE for the number of another level, without level, and for a level
///            that was entered with a thread state.
/// Threads:   owner thread; runs the deleters of tangents' memory.
/// Since:     0.1
TENON_API tenon_status tenon_dual_leave(int64_t level);

/// Returns the number of the calling thread's level, or -1 if it has none.
///
/// Threads:   any thread; reads the calling thread's level.
/// Since:     0.1
TENON_API int64_t tenon_dual_level(void);

/// Makes a view of a tensor that has a tangent with the tensor's sizes, dtype and device. The
/// tangent itself is kept if its strides match the tensor's; otherwise a copy is kept.
///
/// Errors:    TENON_ERROR_TYPE for a dtype that is neither floating nor complex, and for a tangent
///            of another dtype; TENON_ERROR_STATE without level, for a level that is not the
///            thread's,
///            for sizes that differ, and for tensors that have a tangent;
///            TENON_ERROR_INVALID_ARGUMENT for NULL, undefined tensors and another device.
/// Ownership: `out_dual` is owned by the caller; it keeps the tangent until the level is left.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_dual_make(int64_t level, tenon_tensor* primal, tenon_tensor* tangent,
                                       tenon_tensor** out_dual);

/// Returns the two parts of a tensor: an alias without tangent, which is connected to the same
/// backward graph, and the tangent, or NULL if there is none.
///
/// Errors:    TENON_ERROR_STATE for a level that is not the thread's,
///            TENON_ERROR_INVALID_ARGUMENT for NULL and the undefined tensor.
/// Ownership: both are owned by the caller.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_dual_unpack(int64_t level, tenon_tensor* dual,
                                         tenon_tensor** out_primal, tenon_tensor** out_tangent);

TENON_END_DECLS

#endif /* TENON_FORWARD_AD_H */
