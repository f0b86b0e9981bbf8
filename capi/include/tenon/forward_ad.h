/* SPDX-License-Identifier: Apache-2.0 */
/* Forward mode: dual levels, in which tensors carry tangents through calls. */
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
 * elements along one direction. A call with such tensors gives its results tangents, from the
 * operator's tangent or gradient formula, in no_grad mode too, but not in inference mode. Views of
 * a tensor have views of its tangent; a write in place writes the tangent in place. Tangents are
 * recorded as other tensors are, so that backward passes and forward mode mix.
 *
 * Calls of other threads know nothing of a thread's level, unless they run under a thread state
 * that was captured inside of it. There is one level at a time. */

/// Opens a dual level on the calling thread and gives its number.
///
/// Errors:    TENON_ERROR_STATE inside of another level, TENON_ERROR_OUT_OF_MEMORY.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_dual_enter(int64_t* out_level);

/// Closes the level that was opened last. All its tangents are gone, also for other threads.
///
/// Errors:    TENON_ERROR_STATE for another number, without level, and for one that a thread state
///            has carried here.
/// Threads:   owner thread; runs the deleters of tangents' memory.
/// Since:     0.1
TENON_API tenon_status tenon_dual_leave(int64_t level);

/// Returns the number of the calling thread's level, -1 outside of any.
///
/// Threads:   any thread; the calling thread's.
/// Since:     0.1
TENON_API int64_t tenon_dual_level(void);

/// Makes a view of a tensor that has a tangent, of the tensor's sizes, dtype and device. The
/// tangent itself is kept where its strides are the tensor's, else a copy.
///
/// Errors:    TENON_ERROR_TYPE for a dtype that is neither floating nor complex, and for a tangent
///            of another; TENON_ERROR_STATE without level, for a level that is not the thread's,
///            for sizes that differ, and for tensors that have a tangent;
///            TENON_ERROR_INVALID_ARGUMENT for NULL, undefined tensors and another device.
/// Ownership: `out_dual` is owned by the caller; it keeps the tangent until the level is left.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_dual_make(int64_t level, tenon_tensor* primal, tenon_tensor* tangent,
                                       tenon_tensor** out_dual);

/// Gives the two parts of a tensor: an alias without tangent, to which gradients flow as to the
/// tensor, and its tangent, NULL without one.
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
