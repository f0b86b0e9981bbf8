/* SPDX-License-Identifier: Apache-2.0 */
/* Gradient formulas written in Python, registered by register_autograd. */
#include "function_context.h"
#include "overrides.h"
#include "value.h"

/* The formula of one operator. Its deleter queues it to be freed under the GIL. */
typedef struct {
  tnp_garbage garbage;
  PyObject *backward, *setup; /* setup NULL: none */
  tnp_op* op;
} formula;

static void formula_run(tnp_garbage* garbage) {
  formula* self = (formula*)garbage;
  Py_XDECREF(self->backward);
  Py_XDECREF(self->setup);
  Py_XDECREF(self->op);
  PyMem_RawFree(self);
}

static void formula_drop(void* ctx) { tnp_discard(&((formula*)ctx)->garbage); }

/* ---- Setup ----------------------------------------------------------------------------------- */

/* Returns how an argument or result appears in the graph: a list's length, or TNP_LENGTH_*. */
static int32_t length_of(const tnp_type* type, const tenon_value* value) {
  if (type->conv == TNP_CONV_TENSOR) return TNP_LENGTH_TENSOR;
  if (type->conv != TNP_CONV_TENSOR_LIST) return TNP_LENGTH_OTHER;
  return value->tag == TENON_TAG_TENSOR_LIST ? (int32_t)value->count : 0;
}

static PyObject* open_value(tenon_value* value) {
  return tnp_unwrap_carriers(tnp_from_value(value, false));
}

/* Returns the keyword-only arguments as a dict. */
static PyObject* named_arguments(const tnp_binding* binding, const tenon_stack* call) {
  PyObject* named = PyDict_New();
  for (uint32_t i = binding->npositional; named != NULL && i < binding->nargs; i++) {
    PyObject* value = open_value(&call->args[i]);
    if (value == NULL || PyDict_SetItem(named, binding->args[i].name, value) != 0) {
      Py_CLEAR(named);
    }
    Py_XDECREF(value);
  }
  return named;
}

static PyObject* results_of(const tenon_stack* call) {
  if (call->nrets == 1) return open_value(&call->rets[0]);
  PyObject* tuple = PyTuple_New(call->nrets);
  for (uint32_t i = 0; tuple != NULL && i < call->nrets; i++) {
    PyObject* value = open_value(&call->rets[i]);
    if (value == NULL)
      Py_CLEAR(tuple);
    else
      PyTuple_SET_ITEM(tuple, i, value);
  }
  return tuple;
}

/* Calls setup_context(ctx, inputs, output), with keyword-only inputs by name if there are any. */
static int call_setup(const formula* self, PyObject* context, const tenon_stack* call) {
  static PyObject* names; /* of all four, made once under the GIL */
  const tnp_binding* binding = self->op->binding;
  PyObject* inputs = PyTuple_New(binding->npositional);
  for (uint32_t i = 0; inputs != NULL && i < binding->npositional; i++) {
    PyObject* value = open_value(&call->args[i]);
    if (value == NULL)
      Py_CLEAR(inputs);
    else
      PyTuple_SET_ITEM(inputs, i, value);
  }
  PyObject* output = inputs ? results_of(call) : NULL;
  PyObject* done = NULL;
  if (output != NULL && binding->npositional == binding->nargs) {
    PyObject* args[4] = {NULL, context, inputs, output};
    done = PyObject_Vectorcall(self->setup, args + 1, 3 | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL);
  } else if (output != NULL) {
    if (names == NULL) {
      names = Py_BuildValue("(ssss)", "ctx", "inputs", "keyword_only_inputs", "output");
    }
    PyObject* named = names ? named_arguments(binding, call) : NULL;
    PyObject* args[4] = {context, inputs, named, output};
    if (named != NULL) done = PyObject_Vectorcall(self->setup, args, 0, names);
    Py_XDECREF(named);
  }
  Py_XDECREF(output);
  Py_XDECREF(inputs);
  Py_XDECREF(done);
  return done != NULL ? 0 : -1;
}

static int setup(const formula* self, tenon_function_context* handle, const tenon_stack* call) {
  if (tnp_op_ready(self->op) != 0) return -1;
  const tnp_binding* binding = self->op->binding;
  const uint32_t nargs = binding->npositional;
  tnp_context* context = tnp_context_new(tnp_context_type, (Py_ssize_t)nargs);
  if (context == NULL) return -1;
  context->context = handle;
  int status = tnp_context_wait(context, nargs + binding->nrets);
  for (uint32_t i = 0; status == 0 && i < nargs; i++) {
    context->lengths[i] = length_of(&binding->args[i].type, &call->args[i]);
    if (context->lengths[i] == TNP_LENGTH_TENSOR) tnp_context_set_tensor(context, i);
  }
  for (uint32_t i = 0; status == 0 && i < binding->nrets; i++) {
    context->lengths[nargs + i] = length_of(&binding->rets[i].type, &call->rets[i]);
  }
  if (status == 0 && self->setup != NULL) status = call_setup(self, (PyObject*)context, call);
  Py_DECREF(context);
  return status;
}

static tenon_status run_setup(void* ctx, tenon_function_context* context, const tenon_stack* call) {
  PyGILState_STATE state;
  if (!tnp_attach(&state)) {
    return tenon_error_raise(TENON_ERROR_STATE,
                             "Python: the interpreter must be running to record a call for a "
                             "formula written in Python, got one that is shutting down");
  }
  tenon_status status = setup(ctx, context, call) == 0 ? TENON_OK : tnp_exception_to_slot();
  tnp_drain_pending();
  tnp_detach(state);
  return status;
}

/* ---- Backward -------------------------------------------------------------------------------- */

/* Stores the gradients of results in `args` after the context; a list for a list. */
static int read_grads(const tenon_backward_call* call, const int32_t* lengths, uint32_t count,
                      PyObject** args) {
  int64_t output = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (lengths[i] == TNP_LENGTH_OTHER) {
      args[i] = Py_NewRef(Py_None);
    } else if (lengths[i] == TNP_LENGTH_TENSOR) {
      args[i] = tnp_context_grad(call, output++);
    } else {
      args[i] = PyList_New(lengths[i]);
      for (int32_t k = 0; args[i] != NULL && k < lengths[i]; k++) {
        PyObject* grad = tnp_context_grad(call, output++);
        if (grad == NULL)
          Py_CLEAR(args[i]);
        else
          PyList_SET_ITEM(args[i], k, grad);
      }
    }
    if (args[i] == NULL) return -1;
  }
  return 0;
}

static int refuse(const tenon_backward_call* call, const tnp_argument* argument, const char* wanted,
                  PyObject* grad) {
  char actual[160];
  tnp_describe(grad, actual, sizeof actual);
  tnp_raise_format(TENON_ERROR_RUNTIME, "%s: gradient of %U must be %s, got %s",
                   tenon_node_name(call->node), argument->name, wanted, actual);
  return -1;
}

/* Stores the gradients of a list argument: a list of the same structure, or None. */
static int store_list(const tenon_backward_call* call, const tnp_argument* argument, int64_t edge,
                      int32_t length, PyObject* grad) {
  if (grad == Py_None) return 0;
  bool is_list = PyList_Check(grad) || PyTuple_Check(grad);
  if (!is_list || PySequence_Fast_GET_SIZE(grad) != length) {
    return refuse(call, argument, "a list of the argument's structure", grad);
  }
  for (int32_t i = 0; i < length; i++) {
    PyObject* each = PySequence_Fast_GET_ITEM(grad, i);
    if (each != Py_None && !TNP_IS_TENSOR(each)) {
      return refuse(call, argument, "a list of Tensors or None, of the argument's structure", grad);
    }
    if (tnp_context_write(call, edge + i, each) != 0) return -1;
  }
  return 0;
}

static int store_grads(const tenon_backward_call* call, const tnp_binding* binding,
                       const tnp_context* context, PyObject* result) {
  PyObject** grads = tnp_context_grads(call, context, &result);
  if (grads == NULL) return -1;
  const Py_ssize_t wanted = (Py_ssize_t)context->nargs;
  int64_t edge = 0;
  for (Py_ssize_t i = 0; i < wanted; i++) {
    const int32_t length = context->lengths[i];
    const tnp_argument* argument = &binding->args[i];
    if (length == TNP_LENGTH_OTHER) {
      if (grads[i] != Py_None) return refuse(call, argument, "None, as it is no tensor", grads[i]);
    } else if (length == TNP_LENGTH_TENSOR) {
      if (grads[i] != Py_None && !TNP_IS_TENSOR(grads[i])) {
        return refuse(call, argument, "Tensor or None", grads[i]);
      }
      if (tnp_context_write(call, edge++, grads[i]) != 0) return -1;
    } else {
      if (store_list(call, argument, edge, length, grads[i]) != 0) return -1;
      edge += length;
    }
  }
  return 0;
}

static int backward(const formula* self, const tenon_backward_call* call) {
  PyObject* object = tnp_node_wrap(tenon_node_retain(call->node));
  if (object == NULL) return -1;
  const tnp_context* context = (tnp_context*)object;
  const uint32_t nrets = self->op->binding->nrets;
  PyObject* few[10] = {NULL};
  PyObject** args = nrets > 8 ? PyMem_Calloc(nrets + 2, sizeof *args) : few;
  int status = -1;
  if (args == NULL) {
    PyErr_NoMemory();
  } else {
    args[1] = object;
    if (read_grads(call, context->lengths + context->nargs, nrets, args + 2) == 0) {
      PyObject* result = PyObject_Vectorcall(self->backward, args + 1,
                                             (nrets + 1) | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL);
      status = result ? store_grads(call, self->op->binding, context, result) : -1;
      Py_XDECREF(result);
    }
    for (uint32_t i = 0; i < nrets; i++) Py_XDECREF(args[2 + i]);
    if (args != few) PyMem_Free(args);
  }
  Py_DECREF(object);
  return status;
}

static tenon_status run_backward(const tenon_backward_call* call) {
  PyGILState_STATE state;
  if (!tnp_attach(&state)) {
    return tenon_error_raise(TENON_ERROR_STATE,
                             "Python: the interpreter must be running to run a backward written in "
                             "Python, got one that is shutting down");
  }
  tenon_status status = backward(call->ctx, call) == 0 ? TENON_OK : tnp_exception_to_slot();
  tnp_drain_pending();
  tnp_detach(state);
  return status;
}

/* ---- Registration ---------------------------------------------------------------------------- */

/* (library, op, backward, setup or None, policy): returns the registration's handle. */
static PyObject* register_gradient(PyObject* module, PyObject* args) {
  (void)module;
  PyObject *library, *op, *backward_function, *setup_function;
  unsigned policy;
  if (!PyArg_ParseTuple(args, "O!O!OOI:register_gradient", tnp_library_type, &library, tnp_op_type,
                        &op, &backward_function, &setup_function, &policy)) {
    return NULL;
  }
  if (((tnp_library*)library)->library == NULL) {
    return tnp_raise_format(TENON_ERROR_STATE,
                            "register_autograd: library must be open, got a closed one");
  }
  formula* ctx = PyMem_RawCalloc(1, sizeof *ctx);
  if (ctx == NULL) return PyErr_NoMemory();
  ctx->garbage.run = formula_run;
  ctx->backward = Py_NewRef(backward_function);
  ctx->setup = setup_function != Py_None ? Py_NewRef(setup_function) : NULL;
  ctx->op = (tnp_op*)Py_NewRef(op);
  tenon_formula description = {.struct_size = sizeof description,
                               .backward = run_backward,
                               .setup = run_setup,
                               .ctx = ctx,
                               .deleter = formula_drop,
                               .language = TENON_LANGUAGE_PYTHON,
                               .policy = policy,
                               .name = "register_autograd"};
  tenon_registration* registration = NULL;
  tenon_library* handle = tenon_library_retain(((tnp_library*)library)->library);
  tenon_status status;
  Py_BEGIN_ALLOW_THREADS status = tenon_library_register_autograd(
      handle, tenon_op_name(((tnp_op*)op)->op), &description, &registration);
  tenon_library_release(handle);
  Py_END_ALLOW_THREADS tnp_drain_pending();
  if (tnp_check(status) != 0) return NULL;
  return tnp_handle_new(TNP_HANDLE_REGISTRATION, registration);
}

/* (library, name, policy): returns the registration's handle. */
static PyObject* set_gradient_policy(PyObject* module, PyObject* args) {
  (void)module;
  PyObject* library;
  const char* name;
  unsigned policy;
  if (!PyArg_ParseTuple(args, "O!sI:set_gradient_policy", tnp_library_type, &library, &name,
                        &policy)) {
    return NULL;
  }
  tenon_registration* registration = NULL;
  tenon_library* handle = tenon_library_retain(((tnp_library*)library)->library);
  tenon_status status;
  Py_BEGIN_ALLOW_THREADS status =
      tenon_library_set_gradient_policy(handle, name, policy, &registration);
  tenon_library_release(handle);
  Py_END_ALLOW_THREADS if (tnp_check(status) != 0) return NULL;
  return tnp_handle_new(TNP_HANDLE_REGISTRATION, registration);
}

static PyMethodDef functions[] = {
    {"set_gradient_policy", set_gradient_policy, METH_VARARGS,
     "set_gradient_policy(library, name, policy, /)\n--\n\nWhat becomes of gradients without "
     "formula."},
    {"register_gradient", register_gradient, METH_VARARGS,
     "register_gradient(library, op, backward, setup, policy, /)\n--\n\nRegisters a formula."},
    {NULL, NULL, 0, NULL}};

int tnp_gradient_init(PyObject* module) { return PyModule_AddFunctions(module, functions); }
