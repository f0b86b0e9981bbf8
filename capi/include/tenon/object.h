/* SPDX-License-Identifier: Apache-2.0 */
/* Objects: values of a language's own types, passed through boxed calls. */
#ifndef TENON_OBJECT_H
#define TENON_OBJECT_H

#include "tenon/common.h"
#include "tenon/value.h"

// Usage:
//
//   static tenon_object_type type = {sizeof(tenon_object_type), TENON_LANGUAGE_C, "Counter"};
//   tenon_object* object = NULL;
//   type.release = release_counter; /* frees `self` when the last reference is dropped */
//   status = tenon_object_new(&type, self, &object);
//   if (!status) ret = tenon_value_of_object(object);

TENON_BEGIN_DECLS

/* A type of objects. The record lies in read-only or long-lived memory of the library that defines
 * the type. Fields after `release` are the handlers of the Override and Wrapper keys and the call
 * function; a handler that is NULL is not supported. A type is identified by the address of its
 * record. Two libraries that each define the record have two types, so the definer should export
 * one.
 *
 * A handler receives the call as a boxed kernel does, with the `self` of the first argument of the
 * type. It writes all results, fails with a code, or returns TENON_DECLINED and leaves the results
 * NONE. To continue the call, a handler unwraps its objects and calls the operator again with the
 * new arguments; it does not redispatch. See overrides.h. */
typedef struct tenon_object_type {
  uint32_t struct_size; /* sizeof(tenon_object_type) */
  uint32_t language;    /* TENON_LANGUAGE_* */
  const char* name;     /* such as "vision.Palette"; class types in schemas match it */
  const struct tenon_object_type* base; /* NULL or the type it derives from */
  void (*retain)(void* self);           /* called once for each tenon_object created; may be NULL */
  void (*release)(void* self);          /* called once when the object dies; may be NULL */
  /* If set, objects of the type may be passed for any argument of any operator, and this handler
   * runs instead of a kernel. */
  tenon_status (*override)(void* self, const tenon_op* op, tenon_keyset keys, tenon_stack* stack);
  /* Runs operators on wrapper tensors of the type, below Autograd. */
  tenon_status (*dispatch)(void* self, const tenon_op* op, tenon_keyset keys, tenon_stack* stack);
  /* If set, objects of the type are functions (TENON_TAG_FUNCTION). Arguments are borrowed for the
   * call. The function writes `nrets` owned results. It may run on any thread. */
  tenon_status (*call)(void* self, tenon_stack* stack);
  uint64_t reserved[5]; /* zero */
} tenon_object_type;

/// Creates an object of `type` around `self`; calls type->retain(self) on success.
///
/// Errors:    TENON_ERROR_ABI for a bad struct_size, TENON_ERROR_INVALID_ARGUMENT for a NULL type
///            or one without a name, TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: new reference in `out_object`; `type` must outlive it.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_object_new(const tenon_object_type* type, void* self,
                                        tenon_object** out_object);

/// Adds a reference. NULL is accepted and returned.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_object* tenon_object_retain(tenon_object* object);

/// Drops a reference; the last one calls type->release(self). NULL is accepted.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API void tenon_object_release(tenon_object* object);

/// Returns the type.
///
/// Ownership: the type record is not freed while the object lives.
/// Threads:   any thread.
/// Since:     0.1
TENON_API const tenon_object_type* tenon_object_get_type(const tenon_object* object);

/// Returns the `self` pointer that the object wraps.
///
/// Ownership: borrowed until the object dies.
/// Threads:   any thread.
/// Since:     0.1
TENON_API void* tenon_object_self(const tenon_object* object);

/// Returns the object of an object value or of a carrier, and NULL for every other value. A wrapper
/// tensor is not an object value: see tenon_wrapper_object.
///
/// Ownership: borrowed until the owner of the value releases it.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_object* tenon_object_of_value(const tenon_value* value);

/// Calls a function object. `stack` holds the arguments and room for the results, which are NONE.
///
/// Errors:    TENON_ERROR_TYPE for an object whose type has no `call`, or what the function raised.
///            All results are cleared on failure.
/// Ownership: arguments are borrowed; results are new references, released by the caller.
/// Threads:   any thread; *blocks* if the function does.
/// Since:     0.1
TENON_API tenon_status tenon_object_call(tenon_object* object, tenon_stack* stack);

TENON_END_DECLS

#endif /* TENON_OBJECT_H */
