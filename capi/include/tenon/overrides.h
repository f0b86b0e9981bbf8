/* SPDX-License-Identifier: Apache-2.0 */
/* Overriding operators: objects passed as tensors, wrapper tensors, and modes.
 *
 * Override  Handlers run before all kernels if an argument is an object whose type has an
 *           `override` handler, or if an Override mode is on. Modes run first, the innermost one
 *           first. Then the distinct types of the objects run from left to right, but a derived
 *           type before its base. If a handler returns TENON_DECLINED, the next one runs; if all of
 *           them do, the call fails with a type error. Results may be any values.
 * Wrapper   Handlers run in the same order below autograd, for wrapper tensors and Wrapper modes,
 *           through the `dispatch` handler of their types. All keys above Wrapper except Override
 *           are excluded while a handler runs. Results are checked against the schema.
 * Carriers  Where a tensor handle is required (typed calls, elements of Tensor[], a Tensor result),
 *           an object is passed in a carrier: an empty tensor without memory whose only key is
 *           Override. Bindings wrap and unwrap carriers automatically. */
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

/// Makes a carrier of a value: of an object that is passed where a tensor handle is required, or of
/// any result of an override.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for a tensor or None, which need no carrier;
///            TENON_ERROR_OUT_OF_MEMORY, or as tenon_value_copy.
/// Ownership: new reference in `out_tensor`; the value is copied.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_carrier_new(const tenon_value* value, tenon_tensor** out_tensor);

/// Returns the value in a carrier, or NULL for every other tensor.
///
/// Ownership: borrowed until the tensor dies.
/// Threads:   any thread.
/// Since:     0.1
TENON_API const tenon_value* tenon_carrier_value(const tenon_tensor* tensor);

/* Describes the tensor that a wrapper claims to be. */
typedef struct tenon_wrapper_options {
  uint32_t struct_size; /* sizeof(tenon_wrapper_options) */
  uint32_t reserved0;   /* zero */
  int64_t ndim;
  const int64_t* sizes;   /* ndim elements */
  const int64_t* strides; /* in elements; NULL: row-major */
  int64_t storage_offset; /* in elements */
  tenon_dtype dtype;
  uint32_t reserved1;           /* zero */
  const tenon_device* device;   /* NULL: the CPU */
  tenon_keyset keys;            /* functionalities above Wrapper that it carries, such as Tracer;
                                 * not Batched, Override, TransformFront or TransformBack */
  const tenon_tensor* alias_of; /* NULL, or the tensor that it is a view of; borrowed */
  uint64_t reserved[4];         /* zero */
} tenon_wrapper_options;

/// Creates a wrapper tensor with the geometry, dtype and device in the options. It has no memory.
/// It has an object of `type` around `self`, whose `dispatch` runs operators on it; it has the
/// Wrapper key and never Dense. With `alias_of`, the wrapper shares the version counter of that
/// tensor, which is also its base if it is a wrapper, too.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for a type without `dispatch`, a bad shape, stride,
///            offset or dtype, a key that wrappers cannot carry, and reserved words that are not
///            zero; TENON_ERROR_ABI for a bad struct_size; otherwise as tenon_object_new.
/// Ownership: new reference in `out_tensor`; calls type->retain(self) on success and
///            type->release(self) when the tensor dies.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_wrapper_new(const tenon_object_type* type, void* self,
                                         const tenon_wrapper_options* options,
                                         tenon_tensor** out_tensor);

/// Returns the object of a wrapper tensor, or NULL for every other tensor.
///
/// Ownership: borrowed until the tensor dies.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_object* tenon_wrapper_object(const tenon_tensor* tensor);

TENON_END_DECLS

#endif /* TENON_OVERRIDES_H */
