/* SPDX-License-Identifier: Apache-2.0 */
/* Weak tensors: references that do not keep a tensor alive. */
#ifndef TENON_WEAK_TENSOR_H
#define TENON_WEAK_TENSOR_H

#include "tenon/common.h"

// Usage:
//
//   tenon_weak_tensor* weak = NULL;
//   status = tenon_weak_tensor_new(x, &weak);
//   if (status) return status;
//   tenon_tensor* again = tenon_weak_tensor_copy(weak); /* NULL if x has died */
//   tenon_tensor_release(again);
//   tenon_weak_tensor_release(weak);

TENON_BEGIN_DECLS

/// Creates a weak reference to a tensor. It keeps the tensor's header allocated, but neither the
/// tensor nor its data alive.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for NULL, TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: new reference in `out_weak`; `tensor` is borrowed.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_weak_tensor_new(tenon_tensor* tensor, tenon_weak_tensor** out_weak);

/// Returns the tensor, or NULL if it has died.
///
/// Ownership: new reference.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_tensor* tenon_weak_tensor_copy(const tenon_weak_tensor* weak);

/// Adds a reference. NULL is accepted and returned.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_weak_tensor* tenon_weak_tensor_retain(tenon_weak_tensor* weak);

/// Drops a reference. NULL is accepted.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API void tenon_weak_tensor_release(tenon_weak_tensor* weak);

TENON_END_DECLS

#endif /* TENON_WEAK_TENSOR_H */
