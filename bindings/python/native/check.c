/* SPDX-License-Identifier: Apache-2.0 */
/* Gradient checks of Python functions. */
#include "native.h"

#include "value.h"

typedef struct {
  PyObject* function;
  PyObject* inputs; /* arguments of the function, before C substitutes its tensors */
} checked_call;

/* Returns the inputs with their tensors replaced by C's; in forward mode these differ. */
static PyObject* arguments_of(const checked_call* call, const tenon_stack* stack) {
  Py_ssize_t count = PyTuple_GET_SIZE(call->inputs);
  PyObject* arguments = PyTuple_New(count);
  for (Py_ssize_t i = 0; arguments != NULL && i < count; i++) {
    const tenon_value* value = &stack->args[i];
    PyObject* argument = value->tag == TENON_TAG_TENSOR
                             ? tnp_tensor_wrap(tenon_tensor_retain(value->as.tensor))
                             : Py_NewRef(PyTuple_GET_ITEM(call->inputs, i));
    if (argument == NULL) {
      Py_CLEAR(arguments);
    } else {
      PyTuple_SET_ITEM(arguments, i, argument);
    }
  }
  return arguments;
}

static tenon_status call_function(void* ctx, tenon_stack* stack) {
  checked_call* call = ctx;
  PyGILState_STATE state;
  if (!tnp_attach(&state)) {
    return tenon_error_raise(TENON_ERROR_STATE,
                             "Python: the interpreter must be running to call a function written "
                             "in Python, got one that is shutting down");
  }
  PyObject* arguments = arguments_of(call, stack);
  PyObject* result = arguments ? PyObject_CallObject(call->function, arguments) : NULL;
  tenon_status status = TENON_OK;
  if (result == NULL || tnp_to_owned(result, &stack->rets[0]) != 0) {
    stack->error = tnp_take_exception();
    status = tenon_error_code(stack->error);
  }
  Py_XDECREF(result);
  Py_XDECREF(arguments);
  tnp_drain_pending();
  tnp_detach(state);
  return status;
}

/* Converts tensors to values. Everything else becomes None, which C returns without reading it. */
static tenon_value* read_inputs(PyObject* inputs) {
  Py_ssize_t count = PyTuple_GET_SIZE(inputs);
  tenon_value* values = PyMem_Calloc((size_t)count + 1, sizeof *values);
  if (values == NULL) {
    PyErr_NoMemory();
    return NULL;
  }
  for (Py_ssize_t i = 0; i < count; i++) {
    PyObject* input = PyTuple_GET_ITEM(inputs, i);
    if (!TNP_IS_TENSOR(input)) continue;
    tenon_tensor* tensor = tnp_tensor_get(input);
    if (tensor == NULL) {
      PyMem_Free(values);
      return NULL;
    }
    values[i] = tenon_value_of_tensor(tensor);
  }
  return values;
}

/* Returns the tensors of a tuple, borrowed; NULL for None. */
static tenon_tensor** read_grads(PyObject* grads) {
  Py_ssize_t count = PyTuple_GET_SIZE(grads);
  tenon_tensor** tensors = PyMem_Calloc((size_t)count + 1, sizeof(tenon_tensor*));
  if (tensors == NULL) {
    PyErr_NoMemory();
    return NULL;
  }
  for (Py_ssize_t i = 0; i < count; i++) {
    PyObject* grad = PyTuple_GET_ITEM(grads, i);
    if (grad == Py_None) continue;
    if (!TNP_IS_TENSOR(grad)) {
      tnp_raise_format(TENON_ERROR_TYPE, "gradgradcheck: grad_outputs %zd must be Tensor, got %s",
                       i, Py_TYPE(grad)->tp_name);
    } else {
      tensors[i] = tnp_tensor_get(grad);
    }
    if (tensors[i] == NULL) {
      PyMem_Free(tensors);
      return NULL;
    }
  }
  return tensors;
}

/* (function, inputs, grads or None for first order, flags, eps, atol, rtol, nondet_tol): returns a
 * report or None. */
static PyObject* run_gradcheck(PyObject* module, PyObject* args) {
  (void)module;
  checked_call call;
  PyObject* grads;
  tenon_gradcheck_options options = {.struct_size = sizeof options};
  if (!PyArg_ParseTuple(args, "OO!OIdddd", &call.function, &PyTuple_Type, &call.inputs, &grads,
                        &options.flags, &options.eps, &options.atol, &options.rtol,
                        &options.nondet_tol)) {
    return NULL;
  }
  bool second = grads != Py_None;
  tenon_value* inputs = read_inputs(call.inputs);
  tenon_tensor** given = inputs != NULL && second ? read_grads(grads) : NULL;
  if (inputs == NULL || (second && given == NULL)) {
    PyMem_Free(inputs);
    return NULL;
  }
  Py_ssize_t count = PyTuple_GET_SIZE(call.inputs), ngrads = second ? PyTuple_GET_SIZE(grads) : 0;
  tenon_buffer* report = NULL;
  tenon_status status;
  Py_BEGIN_ALLOW_THREADS;
  status = second ? tenon_gradgradcheck(&call_function, &call, inputs, count, given, ngrads,
                                        &options, &report)
                  : tenon_gradcheck(&call_function, &call, inputs, count, &options, &report);
  Py_END_ALLOW_THREADS;
  PyMem_Free(inputs);
  PyMem_Free(given);
  if (tnp_check(status) != 0) return NULL;
  if (report == NULL) Py_RETURN_NONE;
  return tnp_text(report);
}

static PyMethodDef functions[] = {
    {"run_gradcheck", run_gradcheck, METH_VARARGS,
     "run_gradcheck(function, inputs, grads, flags, eps, atol, rtol, nondet_tol, /)\n--\n\nReturns "
     "a report of what is wrong with gradients, or None."},
    {NULL, NULL, 0, NULL}};

int tnp_check_init(PyObject* module) { return PyModule_AddFunctions(module, functions); }
