/* SPDX-License-Identifier: Apache-2.0 */
/* What conversion of values shares: memory and references of one call, and carried objects. */
#ifndef TENON_PYTHON_VALUE_H
#define TENON_PYTHON_VALUE_H

#include "native.h"

/* Memory that lives as long as the call; NULL with an exception. */
void* tnp_take_memory(tnp_call* call, size_t size);
/* Carries any Python object, or unwraps another language's: 0, or -1 with an exception. */
int tnp_to_object(tnp_call* call, PyObject* object, uint16_t tag, tenon_value* out);
/* Converts as `Any` does; returns as tnp_to_value. */
int tnp_to_any(tnp_call* call, PyObject* object, tenon_value* out);
/* The same into a value that owns all it names: 0, or -1 with an exception. */
int tnp_to_owned(PyObject* object, tenon_value* out);
/* Owned values as one object: None, the value, or a tuple. They are cleared. */
PyObject* tnp_values_to_object(tenon_value* values, uint32_t count);
/* function.c: what runs a callable of Python's, and the call of one of another language. */
tenon_status tnp_function_run(void* self, tenon_stack* stack);
PyObject* tnp_function_call(PyObject* self, PyObject* args, PyObject* kwargs);
/* The UTF-8 of a str, for C: NULL with an exception for another type, and for a NUL inside. */
const char* tnp_utf8(PyObject* object);
/* Whether an object is of the class that a schema type's text names. */
bool tnp_class_matches(const char* text, PyObject* object);

#endif
