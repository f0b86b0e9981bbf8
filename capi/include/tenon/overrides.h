/* SPDX-License-Identifier: Apache-2.0 */
/* Overriding operators: objects in the place of tensors, wrapper tensors, and modes.
 *
 * Override  A call with an object whose type has an `override` handler, at any argument, or with an
 *           Override mode on, runs handlers before all else: modes first, innermost first; then the
 *           distinct types of the objects from left to right, a derived type before its base. A
 *           handler that returns TENON_DECLINED passes on; when all do, the call is a type error.
 *           Results may be any values.
 * Wrapper   The same below autograd, for wrapper tensors and Wrapper modes, with the types'
 *           `dispatch` handler. All keys above Wrapper are excluded while a handler runs, except
 *           Override; results are checked against the schema.
 * Carriers  Where a tensor handle is required (typed calls, elements of Tensor[], a Tensor result),
 *           an object travels in a carrier: an empty tensor without memory that has the
 *           Override key only. Bindings wrap and unwrap carriers by themselves. */
#ifndef TENON_OVERRIDES_H
#define TENON_OVERRIDES_H

#include "tenon/common.h"
#include "tenon/object.h"
#include "tenon/types.h"
#include "tenon/value.h"

TENON_BEGIN_DECLS

/* Kinds of modes. */
#define TENON_MODE_OVERRIDE 0u /* sees calls before dispatch, by its type's `override` */
#define TENON_MODE_WRAPPER 1u  /* sees calls below autograd, by its type's `dispatch` */
#define TENON_MODE_COUNT 2u

/// Makes a carrier of a value: of an object to pass where a tensor handle is required, or of any
/// result of an override.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for a tensor or None, which need no carrier;
///            TENON_ERROR_OUT_OF_MEMORY, or as tenon_value_copy.
/// Ownership: new reference in `out_tensor`; the value is copied.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_new_carrier(const tenon_value* value,
                                                tenon_tensor** out_tensor);

/// Returns the value in a carrier, NULL for every other tensor.
///
/// Ownership: borrowed until the tensor dies.
/// Threads:   any thread.
/// Since:     0.1
TENON_API const tenon_value* tenon_tensor_carried(const tenon_tensor* tensor);

/// Makes a wrapper tensor: shape, dtype and device as claimed, no memory, and an object of `type`
/// around `self` whose `dispatch` runs operators on it. `device` NULL means CPU. It has the Wrapper
/// key and never Dense.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for a type without `dispatch`, a bad shape or dtype;
///            else as tenon_object_new and tenon_tensor_new.
/// Ownership: new reference in `out_tensor`; calls type->retain(self) on success and
///            type->release(self) when the tensor dies.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_new_wrapper(const tenon_object_type* type, void* self,
                                                int64_t ndim, const int64_t* sizes,
                                                tenon_dtype dtype, const tenon_device* device,
                                                tenon_tensor** out_tensor);

/// Returns the object of a wrapper tensor, NULL for every other tensor.
///
/// Ownership: borrowed until the tensor dies.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_object* tenon_tensor_wrapped(const tenon_tensor* tensor);

/// Returns the object that a value is or carries: the one of an object value or of a carrier, NULL
/// for every other value. Wrapper tensors are tensors: see tenon_tensor_wrapped.
///
/// Ownership: borrowed until the value's owner lets go of it.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_object* tenon_value_object(const tenon_value* value);

/// Turns a mode on for the calling thread, inside those that are on. While the mode's handler runs
/// the mode is off, together with those inside it.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for an unknown kind, or an object whose type lacks the
///            handler; TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: retains `mode` until it is popped.
/// Threads:   owner thread; thread states carry modes to other threads.
/// Since:     0.1
TENON_API tenon_status tenon_mode_push(uint32_t kind, tenon_object* mode);

/// Turns off the innermost mode of a kind that is on.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for an unknown kind, TENON_ERROR_STATE when none is on.
/// Ownership: drops the reference that push took; the mode's release may run.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_mode_pop(uint32_t kind);

/// Returns a mode that is on: `depth` 0 is the innermost. NULL when there are fewer.
///
/// Ownership: borrowed until it is popped.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_object* tenon_mode_get(uint32_t kind, int64_t depth);

TENON_END_DECLS

#endif /* TENON_OVERRIDES_H */
