/* SPDX-License-Identifier: Apache-2.0 */
/* Function values: Python callables for other languages, and functions of other languages for
 * Python. */
#include "overrides.h"
#include "value.h"

/* ---- Python callables, called by other languages --------------------------------------------- */

static int results_of(PyObject* function, PyObject* result, tenon_stack* stack) {
  Py_ssize_t count = (Py_ssize_t)stack->nrets;
  if (count == 1) return tnp_to_owned(result, &stack->rets[0]);
  bool fits =
      count == 0 ? result == Py_None : PyTuple_Check(result) && PyTuple_GET_SIZE(result) == count;
  if (!fits) {
    char actual[160];
    tnp_describe(result, actual, sizeof actual);
    tnp_raise_format(TENON_ERROR_TYPE, "%R: results must be %zd%s, got %s", function, count,
                     count == 0 ? ", which is None" : " in a tuple", actual);
    return -1;
  }
  for (Py_ssize_t i = 0; i < count; i++) {
    if (tnp_to_owned(PyTuple_GET_ITEM(result, i), &stack->rets[i]) != 0) {
      tenon_value_clear_n(stack->rets, i);
      return -1;
    }
  }
  return 0;
}

static int run(PyObject* function, tenon_stack* stack) {
  PyObject** args = PyMem_Calloc(stack->nargs + 1, sizeof *args);
  if (args == NULL) {
    PyErr_NoMemory();
    return -1;
  }
  uint32_t made = 0;
  for (; made < stack->nargs; made++) {
    args[made] = tnp_unwrap_carriers(tnp_from_value(&stack->args[made], false));
    if (args[made] == NULL) break;
  }
  PyObject* result = made == stack->nargs ? PyObject_Vectorcall(function, args, made, NULL) : NULL;
  int done = result ? results_of(function, result, stack) : -1;
  Py_XDECREF(result);
  while (made > 0) Py_DECREF(args[--made]);
  PyMem_Free(args);
  return done;
}

tenon_status tnp_function_run(void* self, tenon_stack* stack) {
  PyGILState_STATE state;
  if (!tnp_attach(&state)) {
    return tenon_error_raise(TENON_ERROR_STATE,
                             "Python: the interpreter must be running to call a function written "
                             "in Python, got one that is shutting down");
  }
  PyObject* function = tnp_carried_get(self);
  Py_INCREF(function);
  tenon_status status = TENON_OK;
  if (run(function, stack) != 0) {
    stack->error = tnp_take_exception();
    status = tenon_error_code(stack->error);
  }
  Py_DECREF(function);
  tnp_drain_pending();
  tnp_detach(state);
  return status;
}

/* ---- Functions of other languages, called by Python ------------------------------------------ */

/* Returns the number of results to request: a function does not declare how many it returns. */
static Py_ssize_t wanted_results(PyObject* kwargs) {
  Py_ssize_t others = kwargs ? PyDict_GET_SIZE(kwargs) : 0;
  PyObject* wanted = kwargs ? PyDict_GetItemString(kwargs, "results") : NULL;
  Py_ssize_t count = 1;
  if (wanted != NULL) {
    others--;
    count = PyLong_Check(wanted) ? PyLong_AsSsize_t(wanted) : -1;
    PyErr_Clear();
  }
  if (others == 0 && count >= 0 && count <= UINT16_MAX) return count;
  tnp_raise_format(TENON_ERROR_TYPE,
                   "ForeignFunction: the only keyword argument must be results, an int of at least "
                   "0, got %R",
                   kwargs);
  return -1;
}

static int read_arguments(tnp_call* call, PyObject* args, tenon_value* values) {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); i++) {
    PyObject* object = PyTuple_GET_ITEM(args, i);
    int result = tnp_to_any(call, object, &values[i]);
    if (result > 0) {
      char actual[160];
      tnp_describe(object, actual, sizeof actual);
      tnp_raise_format(TENON_ERROR_TYPE,
                       "ForeignFunction: argument %zd must be a value, got %s%s%s%s", i, actual,
                       call->detail ? " (" : "", call->detail ? call->detail : "",
                       call->detail ? ")" : "");
    }
    if (result != 0) return -1;
  }
  return 0;
}

PyObject* tnp_function_call(PyObject* self, PyObject* args, PyObject* kwargs) {
  Py_ssize_t nargs = PyTuple_GET_SIZE(args), nrets = wanted_results(kwargs);
  if (nrets < 0) return NULL;
  tenon_value* values = PyMem_Calloc((size_t)(nargs + nrets + 1), sizeof *values);
  if (values == NULL) return PyErr_NoMemory();
  tnp_call call;
  tnp_call_begin(&call, false);
  PyObject* result = NULL;
  if (read_arguments(&call, args, values) == 0) {
    tenon_value* rets = values + nargs;
    tenon_stack stack = {values, rets, (uint32_t)nargs, (uint32_t)nrets, NULL, {0, 0}};
    tenon_status status;
    Py_BEGIN_ALLOW_THREADS status = tenon_object_call(tnp_foreign_get(self), &stack);
    Py_END_ALLOW_THREADS if (tnp_check(status) == 0) {
      result = tnp_unwrap_carriers(tnp_values_to_object(rets, (uint32_t)nrets));
    }
  }
  tnp_call_end(&call);
  PyMem_Free(values);
  tnp_drain_pending();
  return result;
}
