/* SPDX-License-Identifier: Apache-2.0 */
/* Conversion of values: memory and references of one call, and carried objects. */
#ifndef TENON_PYTHON_VALUE_H
#define TENON_PYTHON_VALUE_H

#include "native.h"

/* Returns memory that lives as long as the call; NULL with an exception. */
void* tnp_take_memory(tnp_call* call, size_t size);
/* Carries a Python object, or unwraps another language's. Returns 0, or -1 with an exception. */
int tnp_to_object(tnp_call* call, PyObject* object, uint16_t tag, tenon_value* out);
/* Converts like the schema type `Any`; returns like tnp_to_value. */
int tnp_to_any(tnp_call* call, PyObject* object, tenon_value* out);
/* Like tnp_to_any, but the value owns everything it refers to. Returns 0, or -1 with an
 * exception. */
int tnp_to_owned(PyObject* object, tenon_value* out);
/* Converts owned values to one object: None, the value, or a tuple. Clears the values. */
PyObject* tnp_values_to_object(tenon_value* values, uint32_t count);
/* function.c: run a Python callable, and call a function of another language. */
tenon_status tnp_function_run(void* self, tenon_stack* stack);
PyObject* tnp_function_call(PyObject* self, PyObject* args, PyObject* kwargs);
/* Returns the UTF-8 text of a str; NULL with an exception for other types and embedded NULs. */
const char* tnp_utf8(PyObject* object);
/* Returns true if the object's class is the one that a schema type's text names. */
bool tnp_class_matches(const char* text, PyObject* object);

#endif
