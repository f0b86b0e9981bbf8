/* SPDX-License-Identifier: Apache-2.0 */
/* Matching Python arguments and results with a compiled schema. */
#ifndef TENON_PYTHON_BINDING_H
#define TENON_PYTHON_BINDING_H

#include "native.h"

/* Why arguments do not match a schema. Objects are borrowed from the call. */
typedef struct {
  bool found;         /* the arguments do not match */
  bool explain;       /* requests `text`, a new reference with the reason */
  bool by_name;       /* the argument was passed by name */
  uint32_t index;     /* of the argument */
  PyObject* object;   /* the object that did not convert; NULL for other reasons */
  const char* detail; /* the reason, if the object's kind is not enough; static text or NULL */
  PyObject* text;
} tnp_mismatch;

#define TNP_FEW 8         /* arguments or results that fit on the stack */
#define TNP_FEW_TENSORS 3 /* bound of tnp_binding's `tensors` */

/* Takes over the reference. With `numbers`, numbers are accepted for Tensor arguments. */
tnp_binding* tnp_binding_new(tenon_schema* schema, bool numbers);
void tnp_binding_free(tnp_binding* binding);
static inline void tnp_binding_release(tnp_binding* binding) {
  if (TNP_UNLIKELY(binding != NULL && --binding->references == 0)) tnp_binding_free(binding);
}

/* Binds a vector of arguments to `out`, which has room for max(nargs of the schema, nargs). Returns
 * 0 if bound, 1 if the arguments do not match (`why` is filled), -1 with an exception. */
int tnp_bind_slow(const tnp_binding* binding, tnp_call* call, PyObject* const* args,
                  Py_ssize_t nargs, PyObject* kwnames, tenon_value* out, tnp_mismatch* why);
/* Annotates the pending exception with the argument it came from: as a note, or, if the object's
 * memory cannot be shared, with a new error that names the argument, caused by the exception. */
void tnp_name_argument_in_error(const tnp_binding* binding, uint32_t index, bool by_name,
                                PyObject* object);
/* Handles a failed conversion of an argument; `result` is the converter's return value. */
int tnp_report_type_mismatch(const tnp_binding* binding, tnp_mismatch* why, const tnp_call* call,
                             int result, uint32_t index, bool by_name, PyObject* object);
static inline int tnp_bind(const tnp_binding* b, tnp_call* call, PyObject* const* args,
                           Py_ssize_t nargs, PyObject* kwnames, tenon_value* out,
                           tnp_mismatch* why) {
  if (TNP_UNLIKELY(kwnames != NULL || nargs > (Py_ssize_t)b->npositional ||
                   nargs < (Py_ssize_t)b->required)) {
    return tnp_bind_slow(b, call, args, nargs, kwnames, out, why);
  }
  uint32_t i = 0;
  for (; i < (uint32_t)nargs; i++) {
    int result = tnp_to_value(call, &b->args[i].type, args[i], &out[i]);
    if (TNP_UNLIKELY(result != 0))
      return tnp_report_type_mismatch(b, why, call, result, i, false, args[i]);
  }
  for (; i < b->nargs; i++) out[i] = b->defaults[i];
  return 0;
}
/* Returns the message of tenon_schema_bind for arguments that do not match. */
PyObject* tnp_mismatch_text(const tnp_binding* binding, const tnp_mismatch* why,
                            PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);
/* If an object of a user-defined class was passed for a Tensor argument, raises PyTorch's error for
 * `func`, a function or method of Tensor, and returns true. */
bool tnp_raise_no_tensor(PyObject* func, const tnp_op* op, const tnp_mismatch* why);
/* Checks the result of a Python kernel for a Python caller. Takes over `result`; returns it, or an
 * equal normalised object, or NULL with an exception. */
PyObject* tnp_check_result(tnp_op* op, tnp_binding* binding, const tenon_value* args,
                           PyObject* result);

/* call.c. Calls an operator whose binding is current, for `func`, as a redispatch with `keys`
 * unless NULL. Returns NULL with why->found set and no exception if the arguments do not match. */
PyObject* tnp_op_try(tnp_op* self, PyObject* func, const tenon_keyset* keys, PyObject* const* args,
                     size_t nargsf, PyObject* kwnames, tnp_mismatch* why);
/* Installs the call functions for this schema; NULL if the operator has none yet. */
void tnp_op_set_calls(tnp_op* self, const tnp_binding* binding);
/* packet.c. Calls the first overload that matches, for `func`: the packet or a method of Tensor. */
PyObject* tnp_packet_call(tnp_packet* self, PyObject* func, PyObject* const* args, size_t nargsf,
                          PyObject* kwnames);
/* call_forms.c. Calls the first of several operators that matches once the arguments have been
 * converted to its schema's form. Returns NULL without an exception if none matches. */
PyObject* tnp_call_forms(PyObject* const* ops, Py_ssize_t count, PyObject* func,
                         PyObject* const* args, size_t nargsf, PyObject* kwnames);
PyObject* tnp_op_redispatch(PyObject* op, PyObject* const* args, Py_ssize_t nargs,
                            PyObject* kwnames);
PyObject* tnp_op_keys(PyObject* op, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);
PyObject* tnp_op_bind(PyObject* op, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);
PyObject* tnp_op_opcheck(PyObject* module, PyObject* const* args, Py_ssize_t nargs,
                         PyObject* kwnames);
PyObject* tnp_op_explain(PyObject* op, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);
PyObject* tnp_op_call_older(PyObject* module, PyObject* const* args, Py_ssize_t nargs,
                            PyObject* kwnames);
int tnp_packet_init(PyObject* module);

#endif
