/* SPDX-License-Identifier: Apache-2.0 */
/* Matching Python arguments and results with a compiled schema. */
#ifndef TENON_PYTHON_BINDING_H
#define TENON_PYTHON_BINDING_H

#include "native.h"

/* Why arguments do not fit. Objects are borrowed from the call. */
typedef struct {
  bool found;         /* they do not */
  bool explain;       /* asked for: `text`, a new reference, says what is wrong */
  bool by_name;       /* the argument was given by name */
  uint32_t index;     /* of the argument */
  PyObject* object;   /* what does not convert to its type; NULL where that is not the reason */
  const char* detail; /* why not, where the object's kind does not say it; static text or NULL */
  PyObject* text;
} tnp_mismatch;

#define TNP_FEW 8         /* arguments or results that have room on the stack */
#define TNP_FEW_TENSORS 3 /* as tnp_binding's `tensors` */

/* Takes over the reference. With `numbers` a number is accepted where a tensor is due. */
tnp_binding* tnp_binding_new(tenon_schema* schema, bool numbers);
void tnp_binding_free(tnp_binding* binding);
static inline void tnp_binding_release(tnp_binding* binding) {
  if (TNP_UNLIKELY(binding != NULL && --binding->references == 0)) tnp_binding_free(binding);
}

/* Binds a vector of arguments into `out`, which has room for max(nargs of the schema, nargs).
 * 0: bound; 1: they do not fit, `why` is filled; -1: an exception. */
int tnp_bind_slow(const tnp_binding* binding, tnp_call* call, PyObject* const* args,
                  Py_ssize_t nargs, PyObject* kwnames, tenon_value* out, tnp_mismatch* why);
/* Tells of the pending exception which argument it came from: as a note, or, where the object's
 * memory cannot be shared, by an error that names the argument and has the exception as cause. */
void tnp_blame_argument(const tnp_binding* binding, uint32_t index, bool by_name, PyObject* object);
/* Of an argument that did not convert, as `result` says. */
int tnp_misfit_type(const tnp_binding* binding, tnp_mismatch* why, const tnp_call* call, int result,
                    uint32_t index, bool by_name, PyObject* object);
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
    if (TNP_UNLIKELY(result != 0)) return tnp_misfit_type(b, why, call, result, i, false, args[i]);
  }
  for (; i < b->nargs; i++) out[i] = b->defaults[i];
  return 0;
}
/* What is wrong with arguments that do not fit, as tenon_schema_bind says it. */
PyObject* tnp_mismatch_text(const tnp_binding* binding, const tnp_mismatch* why,
                            PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);
/* Whether an object of a class of users' own stands where a tensor is due; then raises what PyTorch
 * says of `func`, a function or a method of Tensor. */
bool tnp_raise_no_tensor(PyObject* func, const tnp_op* op, const tnp_mismatch* why);
/* Checks what a Python kernel returned to a Python caller. Takes over `result`; returns it, or an
 * equal normalised object, or NULL with an exception. */
PyObject* tnp_check_result(tnp_op* op, tnp_binding* binding, const tenon_value* args,
                           PyObject* result);

/* call.c. Calls an operator that is ready for `func`, as a redispatch with `keys` unless NULL. NULL
 * with why->found set and no exception: the arguments do not fit. */
PyObject* tnp_op_try(tnp_op* self, PyObject* func, const tenon_keyset* keys, PyObject* const* args,
                     size_t nargsf, PyObject* kwnames, tnp_mismatch* why);
/* Sets what calls an operator of this schema (NULL: of none yet). */
void tnp_op_set_calls(tnp_op* self, const tnp_binding* binding);
/* packet.c. Calls the first overload that fits, for `func`: the packet, or a method of Tensor. */
PyObject* tnp_packet_call(tnp_packet* self, PyObject* func, PyObject* const* args, size_t nargsf,
                          PyObject* kwnames);
/* call_forms.c. Calls the first of some operators that fits once the arguments are brought into the
 * form of its schema. NULL without an exception: none fits. */
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
