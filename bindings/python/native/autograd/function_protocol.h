/* SPDX-License-Identifier: Apache-2.0 */
/* `__torch_function__` for calls of public functions from Python: finding and calling handlers. */
#ifndef TENON_PYTHON_FUNCTION_PROTOCOL_H
#define TENON_PYTHON_FUNCTION_PROTOCOL_H

#include "native.h"

/* The class whose instances need no handler: Tensor while no Python function mode is active in any
 * thread, otherwise NULL. The type check that each call makes anyway thus covers modes as well. */
extern PyTypeObject* tnp_plain_type;

/* Returns true if the calling thread's innermost mode is a Python mode with a handler. */
bool tnp_mode_has_handler_slow(void);
static inline bool tnp_mode_has_handler(void) {
  return TNP_UNLIKELY(tnp_plain_type == NULL) && tnp_mode_has_handler_slow();
}
/* Returns the handler of a class, borrowed; NULL for Tensor, and for classes without a handler or
 * with a disabled one. */
PyObject* tnp_function_handler(PyTypeObject* type);
/* Returns true if the calling thread has disabled the handlers of classes. */
bool tnp_classes_disabled(void);
/* Returns true if the object's class has an enabled `__torch_function__`. For objects of other
 * languages the dispatcher calls the handlers instead. */
bool tnp_class_has_handler_slow(PyObject* object);
static inline bool tnp_class_has_handler(PyObject* object) {
  return TNP_UNLIKELY(Py_TYPE(object)->tp_flags & Py_TPFLAGS_HEAPTYPE) &&
         Py_TYPE(object) != tnp_tensor_type && tnp_class_has_handler_slow(object);
}
/* Returns true if a call with these arguments has a handler; elements of lists and tuples count. */
bool tnp_has_handler_slow(PyObject* const* args, Py_ssize_t count);
static inline bool tnp_has_handler(PyObject* const* args, Py_ssize_t count) {
  for (Py_ssize_t i = 0; i < count; i++) {
    const PyTypeObject* type = Py_TYPE(args[i]);
    if (TNP_LIKELY(type == tnp_plain_type)) continue;
    const bool may_hold = type == &PyTuple_Type || type == &PyList_Type;
    if (may_hold || (type->tp_flags & Py_TPFLAGS_HEAPTYPE))
      return tnp_has_handler_slow(args, count);
  }
  return tnp_mode_has_handler();
}
/* Calls the handlers of modes, then of classes, until one serves the call of `func`. Returns its
 * result, or NULL with an exception. The `nargs` positional arguments come first, then the keyword
 * arguments named by `kwnames` (or NULL). */
PyObject* tnp_call_handlers(PyObject* func, PyObject* const* args, Py_ssize_t nargs,
                            PyObject* kwnames);

/* A member of Tensor, by name, as the function that is passed to handlers. */
typedef struct {
  const char* name;
  PyObject* key; /* the name, interned on first use */
} tnp_member;
/* Calls the handlers for a method of Tensor. */
PyObject* tnp_call_member_handlers(tnp_member* member, PyObject* const* args, Py_ssize_t nargs);
/* Calls the handlers for a slot with an integer result; -1 means that an exception is set. */
Py_ssize_t tnp_call_number_handlers(tnp_member* member, PyObject* const* args, Py_ssize_t nargs);

/* Counts the Python modes that are enabled on any thread. */
void tnp_count_modes(int change);

int tnp_function_protocol_init(PyObject* module);

#endif
