/* SPDX-License-Identifier: Apache-2.0 */
/* `__torch_function__` where Python calls a public function: who is asked, and asking them. */
#ifndef TENON_PYTHON_FUNCTION_PROTOCOL_H
#define TENON_PYTHON_FUNCTION_PROTOCOL_H

#include "native.h"

/* The class of a tensor that nobody overrides: Tensor itself while no function mode of Python's is
 * on in any thread, else NULL. So one comparison, which a call makes anyway, sees to both. */
extern PyTypeObject* tnp_plain_type;

/* Whether the calling thread's innermost mode is one of Python's that is to be asked. */
bool tnp_mode_asks_slow(void);
static inline bool tnp_mode_asks(void) {
  return TNP_UNLIKELY(tnp_plain_type == NULL) && tnp_mode_asks_slow();
}
/* The handler of a class, borrowed; NULL for Tensor, and for classes without one or with a disabled
 * one. */
PyObject* tnp_function_handler(PyTypeObject* type);
/* Whether the calling thread has turned asking classes off. */
bool tnp_classes_disabled(void);
/* Whether an object's class is to be asked: it has `__torch_function__`, and classes are not
 * disabled. Objects of other languages are asked by the dispatcher instead. */
bool tnp_class_asks_slow(PyObject* object);
static inline bool tnp_class_asks(PyObject* object) {
  return TNP_UNLIKELY(Py_TYPE(object)->tp_flags & Py_TPFLAGS_HEAPTYPE) &&
         Py_TYPE(object) != tnp_tensor_type && tnp_class_asks_slow(object);
}
/* Whether a call with these arguments asks somebody; elements of lists and tuples take part. */
bool tnp_asks_slow(PyObject* const* args, Py_ssize_t count);
static inline bool tnp_asks(PyObject* const* args, Py_ssize_t count) {
  for (Py_ssize_t i = 0; i < count; i++) {
    const PyTypeObject* type = Py_TYPE(args[i]);
    if (TNP_LIKELY(type == tnp_plain_type)) continue;
    const bool may_hold = type == &PyTuple_Type || type == &PyList_Type;
    if (may_hold || (type->tp_flags & Py_TPFLAGS_HEAPTYPE)) return tnp_asks_slow(args, count);
  }
  return tnp_mode_asks();
}
/* Asks modes, then classes, until one serves the call of `func`: what it returned, or NULL with an
 * exception. `nargs` positional arguments come first, then those that `kwnames` (or NULL) names. */
PyObject* tnp_ask(PyObject* func, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);

/* A member of Tensor, by name, as the function that handlers get. */
typedef struct {
  const char* name;
  PyObject* key; /* the name, interned on first use */
} tnp_member;
/* Asks with a method of Tensor. */
PyObject* tnp_ask_member(tnp_member* member, PyObject* const* args, Py_ssize_t nargs);
/* Asks for a slot that has an int for a result, of which -1 says that there is an exception. */
Py_ssize_t tnp_ask_number(tnp_member* member, PyObject* const* args, Py_ssize_t nargs);

/* A mode of Python's is turned on or off, on any thread. */
void tnp_count_modes(int change);

int tnp_function_protocol_init(PyObject* module);

#endif
