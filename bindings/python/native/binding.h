/* SPDX-License-Identifier: Apache-2.0 */
/* Matching Python arguments and results with a compiled schema. */
#ifndef TENON_PYTHON_BINDING_H
#define TENON_PYTHON_BINDING_H

#include "native.h"

/* Why arguments do not fit. Objects are borrowed from the call. */
enum { TNP_MISFIT_MANY, TNP_MISFIT_MISSING, TNP_MISFIT_UNKNOWN, TNP_MISFIT_TWICE, TNP_MISFIT_TYPE };
typedef struct {
  int kind;
  uint32_t index;
  PyObject* object;
  Py_ssize_t given;
} tnp_mismatch;

tnp_binding* tnp_binding_new(tenon_schema* schema); /* takes over the reference */
void tnp_binding_release(tnp_binding* binding);

/* Binds a vector of arguments into `out`, which has room for max(nargs of the schema, nargs).
 * 0: bound; 1: they do not fit, `why` is filled; -1: an exception. */
int tnp_bind(const tnp_binding* binding, tnp_call* call, PyObject* const* args, Py_ssize_t nargs,
             PyObject* kwnames, tenon_value* out, tnp_mismatch* why);
PyObject* tnp_mismatch_text(PyObject* op_name, const tnp_binding* binding, const tnp_call* call,
                            const tnp_mismatch* why);
/* Owned results into one object: None, the value, or a tuple. The values are cleared. */
PyObject* tnp_results_to_object(tnp_binding* binding, tenon_value* rets);
/* Checks what a Python kernel returned to a Python caller. Takes over `result`; returns it, or an
 * equal normalised object, or NULL with an exception. */
PyObject* tnp_check_result(tnp_op* op, tnp_binding* binding, const tenon_value* args,
                           PyObject* result);

/* Calls an operator, as a redispatch with `keys` unless NULL. NULL with why->kind >= 0 and no
 * exception: the arguments do not fit, and *out_text (if asked for) says why. */
PyObject* tnp_op_try(tnp_op* self, const tenon_keyset* keys, PyObject* const* args, size_t nargsf,
                     PyObject* kwnames, tnp_mismatch* why, PyObject** out_text);
int tnp_packet_init(PyObject* module);

#endif
