/* SPDX-License-Identifier: Apache-2.0 */
/* Symbolic numbers as Python objects, and values with symbols in them. */
#ifndef TENON_PYTHON_SYMBOL_H
#define TENON_PYTHON_SYMBOL_H

#include "native.h"
#include "tenon/symbol.h"

/* Returns true if the object is a SymInt, SymFloat or SymBool. */
bool tnp_is_symbol(PyObject* object);
/* Returns the object's symbol, borrowed. */
tenon_symbol* tnp_symbol_get(PyObject* object);
/* Creates a SymInt, SymFloat or SymBool; takes over the reference. */
PyObject* tnp_symbol_wrap(tenon_symbol* symbol);
/* Returns an int, or the SymInt of a word that borrows its symbol. */
PyObject* tnp_from_word(int64_t word);
/* Stores a symbol in an argument and marks the call as symbolic. Returns 0. */
int tnp_to_symbol(tnp_call* call, PyObject* object, tenon_value* out);
/* Returns a result of tenon_tensor_dims as an int or SymInt, or a tuple of them. */
PyObject* tnp_dims_of(const tenon_tensor* tensor, uint32_t what);
/* Adds the types to the module. Returns 0, or -1 with an exception. */
int tnp_symbol_ready(PyObject* module);

#endif
