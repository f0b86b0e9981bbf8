/* SPDX-License-Identifier: Apache-2.0 */
/* Objects that override operators: conversion to and from values. */
#ifndef TENON_PYTHON_OVERRIDES_H
#define TENON_PYTHON_OVERRIDES_H

#include "native.h"

#define TNP_OVERRIDE_BIT (TENON_BACKEND_BITS + TENON_FUNCTIONALITY_OVERRIDE)
#define TNP_OVERRIDE_KEYS ((tenon_keyset)1 << TNP_OVERRIDE_BIT)

/* Returns true if the object can replace any argument: its class has `__torch_function__`, or it
 * belongs to another language and overrides operators. Built-in types never do. */
bool tnp_overrides_slow(PyObject* object);
static inline bool tnp_overrides(PyObject* object) {
  return TNP_UNLIKELY(Py_TYPE(object)->tp_flags & Py_TPFLAGS_HEAPTYPE) &&
         Py_TYPE(object) != tnp_tensor_type && tnp_overrides_slow(object);
}
/* Carries such an object and marks the call as overridden. Returns 0, or -1 with an exception. */
int tnp_to_overriding(tnp_call* call, PyObject* object, tenon_value* out);
/* Moves an object value into a carrier, for lists that hold tensor handles. Returns 0 or -1. */
int tnp_carry_element(tnp_call* call, tenon_value* value);
/* Replaces a carrier by the object it carries, also inside a fresh list or tuple; returns other
 * objects unchanged. Takes over the reference; NULL stays NULL. */
PyObject* tnp_unwrap_carriers(PyObject* object);
/* Returns true if a call with these keys may return carriers. */
static inline bool tnp_may_carry(tenon_keyset keys) { return keys >> TNP_OVERRIDE_BIT != 0; }

/* Adds a class's handlers to its object type. */
void tnp_add_handlers(PyTypeObject* python, tenon_object_type* type);
int tnp_overrides_init(PyObject* module);

#endif
