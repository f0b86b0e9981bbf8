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
#include "tenon/device.h"
#include "tenon/object.h"
#include "tenon/types.h"
#include "tenon/value.h"

// Usage:
//
//   /* type.dispatch(self, op, keys, stack) runs each operator on the wrapper. */
//   const int64_t sizes[] = {2, 3};
//   tenon_wrapper_options options = {sizeof options, 0, 2, sizes};
//   tenon_tensor* wrapper = NULL;
//   options.dtype = TENON_DTYPE_F32;
//   status = tenon_wrapper_new(&type, self, &options, &wrapper);
//   tenon_tensor_release(wrapper);

TENON_BEGIN_DECLS

/// Makes a carrier of a value: of an object to pass where a tensor handle is required, or of any
/// result of an override.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for a tensor or None, which need no carrier;
///            TENON_ERROR_OUT_OF_MEMORY, or as tenon_value_copy.
/// Ownership: new reference in `out_tensor`; the value is copied.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_carrier_new(const tenon_value* value, tenon_tensor** out_tensor);

/// Returns the value in a carrier, NULL for every other tensor.
///
/// Ownership: borrowed until the tensor dies.
/// Threads:   any thread.
/// Since:     0.1
TENON_API const tenon_value* tenon_carrier_value(const tenon_tensor* tensor);

/* What a wrapper tensor claims to be. */
typedef struct tenon_wrapper_options {
  uint32_t struct_size; /* sizeof(tenon_wrapper_options) */
  uint32_t reserved0;   /* zero */
  int64_t ndim;
  const int64_t* sizes;   /* ndim of them */
  const int64_t* strides; /* in elements; NULL: row-major */
  int64_t storage_offset; /* in elements */
  tenon_dtype dtype;
  uint32_t reserved1;           /* zero */
  const tenon_device* device;   /* NULL: the CPU */
  tenon_keyset keys;            /* functionalities above Wrapper that it carries, such as Tracer;
                                   not Batched, Override, TransformFront or TransformBack */
  const tenon_tensor* alias_of; /* NULL, or what it is a view of; borrowed */
  uint64_t reserved[4];         /* zero */
} tenon_wrapper_options;

/// Makes a wrapper tensor: geometry, dtype and device as claimed, no memory, an object of `type`
/// around `self` whose `dispatch` runs operators on it, the Wrapper key and never Dense. One with
/// `alias_of` shares that one's version counter, and has it for its base where that wraps, too.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for a type without `dispatch`, a bad shape, stride,
///            offset or dtype, a key that wrappers cannot carry, and reserved words that are not
///            zero; TENON_ERROR_ABI for a bad struct_size; else as tenon_object_new.
/// Ownership: new reference in `out_tensor`; calls type->retain(self) on success and
///            type->release(self) when the tensor dies.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_wrapper_new(const tenon_object_type* type, void* self,
                                         const tenon_wrapper_options* options,
                                         tenon_tensor** out_tensor);

/// Returns the object of a wrapper tensor, NULL for every other tensor.
///
/// Ownership: borrowed until the tensor dies.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_object* tenon_wrapper_object(const tenon_tensor* tensor);

TENON_END_DECLS

#endif /* TENON_OVERRIDES_H */
