/* SPDX-License-Identifier: Apache-2.0 */
/* Objects that override operators, as the rest of the extension meets them. */
#ifndef TENON_PYTHON_OVERRIDES_H
#define TENON_PYTHON_OVERRIDES_H

#include "native.h"

#define TNP_OVERRIDE_BIT (TENON_BACKEND_BITS + TENON_FUNCTIONALITY_OVERRIDE)
#define TNP_OVERRIDE_KEYS ((tenon_keyset)1 << TNP_OVERRIDE_BIT)

/* Whether an object stands for any argument: its class has `__torch_function__`, or it is another
 * language's that overrides. Built-in types never do. */
bool tnp_overrides_slow(PyObject* object);
static inline bool tnp_overrides(PyObject* object) {
  return TNP_UNLIKELY(Py_TYPE(object)->tp_flags & Py_TPFLAGS_HEAPTYPE) &&
         Py_TYPE(object) != tnp_tensor_type && tnp_overrides_slow(object);
}
/* Carries such an object and marks the call: 0, or -1 with an exception. */
int tnp_to_overriding(tnp_call* call, PyObject* object, tenon_value* out);
/* Moves an object value into a carrier, where a list holds tensor handles: 0 or -1. */
int tnp_carry_element(tnp_call* call, tenon_value* value);
/* What a carrier carries, also inside a fresh list or tuple; all else as it is. Takes the reference
 * over; NULL stays NULL. */
PyObject* tnp_open_carriers(PyObject* object);
/* Whether a call with these keys may return carriers. */
static inline bool tnp_may_carry(tenon_keyset keys) { return keys >> TNP_OVERRIDE_BIT != 0; }

/* Completes the record of a class. */
void tnp_add_handlers(PyTypeObject* python, tenon_object_type* type);
int tnp_overrides_init(PyObject* module);

#endif
