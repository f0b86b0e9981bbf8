/* SPDX-License-Identifier: Apache-2.0 */
/* Hooks: Python functions called during backward passes, their handles, and callbacks at the end of
 * a pass. */
#include "hook.h"

#include "overrides.h"
#include "saved.h"
#include "value.h"

/* ---- Functions called by passes -------------------------------------------------------------- */

PyObject* tnp_grad_object(tenon_tensor* grad) {
  if (grad == NULL) Py_RETURN_NONE;
  tenon_value value;
  tnp_set_tensor(&value, grad);
  return tnp_unwrap_carriers(tnp_from_value(&value, false));
}

static PyObject* grad_tuple(tenon_tensor* const* grads, int64_t count) {
  PyObject* tuple = PyTuple_New((Py_ssize_t)count);
  for (int64_t i = 0; tuple != NULL && i < count; i++) {
    PyObject* grad = tnp_grad_object(grads[i]);
    if (grad == NULL)
      Py_CLEAR(tuple);
    else
      PyTuple_SET_ITEM(tuple, (Py_ssize_t)i, grad);
  }
  return tuple;
}

int tnp_take_tensor(const char* what, PyObject* object, tenon_tensor** out_tensor) {
  static const tnp_type tensor = {.conv = TNP_CONV_TENSOR, .list_size = -1};
  if (object == Py_None) return 0;
  tnp_call conversion;
  tnp_call_begin(&conversion, false);
  tenon_value value;
  int status = tnp_to_value(&conversion, &tensor, object, &value);
  if (status == 0) *out_tensor = tenon_tensor_retain(value.as.tensor);
  tnp_call_end(&conversion);
  if (status > 0) {
    tnp_raise_format(TENON_ERROR_TYPE, "%s: result must be Tensor or None, got %s", what,
                     Py_TYPE(object)->tp_name);
  }
  return status == 0 ? 0 : -1;
}

/* Stores gradient `index`. Returns 0, or -1 with an exception. */
static int take_grad(PyObject* result, tenon_hook_call* call, Py_ssize_t index) {
  return tnp_take_tensor("hook", result, &call->out_grads[index]);
}

/* Stores one gradient, or a tuple with one for each. Returns 0, or -1 with an exception. */
static int take_grads(PyObject* result, tenon_hook_call* call) {
  call->replaces = 1;
  if (!PyTuple_Check(result) && !PyList_Check(result)) {
    if (call->ngrads == 1) return take_grad(result, call, 0);
    tnp_raise_format(TENON_ERROR_TYPE, "hook: result must be None or a tuple of %lld, got %s",
                     (long long)call->ngrads, Py_TYPE(result)->tp_name);
    return -1;
  }
  Py_ssize_t count = PySequence_Fast_GET_SIZE(result);
  if (count != call->ngrads) {
    tnp_raise_format(TENON_ERROR_INVALID_ARGUMENT,
                     "hook: result must have as many gradients as the hook received, %lld, got %zd",
                     (long long)call->ngrads, count);
    return -1;
  }
  for (Py_ssize_t i = 0; i < count; i++) {
    if (take_grad(PySequence_Fast_GET_ITEM(result, i), call, i) != 0) return -1;
  }
  return 0;
}

static int run_grad(PyObject* function, tenon_hook_call* call) {
  PyObject* grad = tnp_grad_object(call->grads[0]);
  PyObject* result = grad ? PyObject_CallOneArg(function, grad) : NULL;
  Py_XDECREF(grad);
  if (result == NULL) return -1;
  call->replaces = result != Py_None;
  int status = take_grad(result, call, 0);
  Py_DECREF(result);
  return status;
}

static int run_accumulated(PyObject* function, tenon_hook_call* call) {
  PyObject* tensor = tnp_grad_object(call->tensor);
  PyObject* result = tensor ? PyObject_CallOneArg(function, tensor) : NULL;
  Py_XDECREF(tensor);
  if (result == NULL) return -1;
  int status = 0;
  if (result != Py_None) {
    tnp_raise_format(TENON_ERROR_TYPE, "post accumulate grad hook: result must be None, got %s",
                     Py_TYPE(result)->tp_name);
    status = -1;
  }
  Py_DECREF(result);
  return status;
}

static int run_before(PyObject* function, tenon_hook_call* call) {
  PyObject* grads = grad_tuple(call->grads, call->ngrads);
  PyObject* result = grads ? PyObject_CallOneArg(function, grads) : NULL;
  Py_XDECREF(grads);
  if (result == NULL) return -1;
  int status = result != Py_None ? take_grads(result, call) : 0;
  Py_DECREF(result);
  return status;
}

static int run_after(PyObject* function, tenon_hook_call* call) {
  PyObject* grads = grad_tuple(call->grads, call->ngrads);
  PyObject* outputs = grads ? grad_tuple(call->outputs, call->noutputs) : NULL;
  PyObject* result = outputs ? PyObject_CallFunctionObjArgs(function, grads, outputs, NULL) : NULL;
  Py_XDECREF(grads);
  Py_XDECREF(outputs);
  if (result == NULL) return -1;
  int status = result != Py_None ? take_grads(result, call) : 0;
  Py_DECREF(result);
  return status;
}

static tenon_status attached(void* ctx, tenon_hook_call* call,
                             int (*run)(PyObject* function, tenon_hook_call* call)) {
  PyGILState_STATE state;
  if (!tnp_attach(&state)) {
    return tenon_error_raise(TENON_ERROR_STATE,
                             "Python: the interpreter must be running to call a hook written in "
                             "Python, got one that is shutting down");
  }
  PyObject* function = Py_NewRef(((tnp_reference*)ctx)->object);
  tenon_status status = run(function, call) == 0 ? TENON_OK : tnp_exception_to_slot();
  Py_DECREF(function);
  tnp_drain_pending();
  tnp_detach(state);
  return status;
}

static tenon_status call_grad(tenon_hook_call* call) { return attached(call->ctx, call, run_grad); }
static tenon_status call_accumulated(tenon_hook_call* call) {
  return attached(call->ctx, call, run_accumulated);
}
static tenon_status call_before(tenon_hook_call* call) {
  return attached(call->ctx, call, run_before);
}
static tenon_status call_after(tenon_hook_call* call) {
  return attached(call->ctx, call, run_after);
}

static int run_done(PyObject* function, tenon_hook_call* unused) {
  (void)unused;
  PyObject* result = PyObject_CallNoArgs(function);
  Py_XDECREF(result);
  return result != NULL ? 0 : -1;
}
static tenon_status call_done(void* ctx) { return attached(ctx, NULL, run_done); }

int32_t tnp_visit_owned(void* visitor, uint32_t kind, void* object) {
  const tnp_visitor* visitor_of = visitor;
  if (kind == TENON_OWNED_SAVED_HOOKS) {
    return tnp_visit_saved_hooks(object, visitor_of->visit, visitor_of->arg);
  }
  PyObject* owned = kind == TENON_OWNED_HOOK     ? ((tnp_reference*)object)->object
                    : kind == TENON_OWNED_OBJECT ? tnp_carried_get(object)
                                                 : (PyObject*)object;
  return visitor_of->visit(owned, visitor_of->arg);
}

/* ---- Handles --------------------------------------------------------------------------------- */

typedef struct {
  PyObject_HEAD tenon_hook* hook;
} hook_handle;

static PyTypeObject* handle_type;

static void handle_dealloc(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  bool nested = tnp_free_begin();
  tenon_hook_release(((hook_handle*)object)->hook);
  tnp_free_end(nested);
  type->tp_free(object);
  Py_DECREF(type);
}

static PyObject* handle_remove(PyObject* object, PyObject* unused) {
  (void)unused;
  bool nested = tnp_free_begin();
  tenon_hook_remove(((hook_handle*)object)->hook);
  tnp_free_end(nested);
  Py_RETURN_NONE;
}

static PyObject* handle_enter(PyObject* object, PyObject* unused) {
  (void)unused;
  return Py_NewRef(object);
}

static PyObject* handle_exit(PyObject* object, PyObject* unused) {
  return handle_remove(object, unused);
}

static PyMethodDef handle_methods[] = {
    {"remove", handle_remove, METH_NOARGS, "remove()\n--\n\nRemoves the hook; again does nothing."},
    {"__enter__", handle_enter, METH_NOARGS, NULL},
    {"__exit__", handle_exit, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL}};
static PyType_Slot handle_slots[] = {
    {Py_tp_doc, "A hook that was added. As a context it is removed when that is left."},
    {Py_tp_dealloc, handle_dealloc},
    {Py_tp_methods, handle_methods},
    {0, NULL}};
static PyType_Spec handle_spec = {"tenon.autograd.graph.HookHandle", sizeof(hook_handle), 0,
                                  Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                  handle_slots};

/* ---- Adding ---------------------------------------------------------------------------------- */

/* Adds a hook to a tensor, or to a node. */
static PyObject* add(tenon_tensor* tensor, tenon_node* node, uint32_t kind, tenon_hook_fn fn,
                     PyObject* function) {
  if (!PyCallable_Check(function)) {
    return tnp_raise_format(TENON_ERROR_TYPE, "hook: hook must be callable, got %s",
                            Py_TYPE(function)->tp_name);
  }
  hook_handle* handle = PyObject_New(hook_handle, handle_type);
  if (handle == NULL) return NULL;
  handle->hook = NULL;
  tnp_reference* ctx = tnp_reference_make(function);
  if (ctx == NULL) {
    Py_DECREF(handle);
    return PyErr_NoMemory();
  }
  tenon_hook_options options = {.struct_size = sizeof options, .kind = kind, .fn = fn, .ctx = ctx};
  options.deleter = tnp_reference_drop;
  options.language = TENON_LANGUAGE_PYTHON;
  tenon_status status = tensor != NULL ? tenon_tensor_add_hook(tensor, &options, &handle->hook)
                                       : tenon_node_add_hook(node, &options, &handle->hook);
  if (tnp_check(status) != 0) Py_CLEAR(handle);
  return (PyObject*)handle;
}

static PyObject* add_to_tensor(PyObject* self, uint32_t kind, tenon_hook_fn fn,
                               PyObject* function) {
  tenon_tensor* tensor = tnp_tensor_get(self);
  /* Creating the dict makes the cycle collector track the object: the hook may refer back to it. */
  PyObject* dict = tensor ? PyObject_GetAttrString(self, "__dict__") : NULL;
  if (dict == NULL) return NULL;
  Py_DECREF(dict);
  return add(tensor, NULL, kind, fn, function);
}

PyObject* tnp_tensor_register_hook(PyObject* self, PyObject* function) {
  return add_to_tensor(self, TENON_HOOK_GRAD, call_grad, function);
}

PyObject* tnp_tensor_register_accumulated(PyObject* self, PyObject* function) {
  return add_to_tensor(self, TENON_HOOK_ACCUMULATED, call_accumulated, function);
}

static PyObject* add_to_node(PyObject* self, uint32_t kind, tenon_hook_fn fn, PyObject* function) {
  tenon_node* node = tnp_node_get(self);
  return node ? add(NULL, node, kind, fn, function) : NULL;
}

PyObject* tnp_node_register_hook(PyObject* self, PyObject* function) {
  return add_to_node(self, TENON_HOOK_AFTER, call_after, function);
}

PyObject* tnp_node_register_prehook(PyObject* self, PyObject* function) {
  return add_to_node(self, TENON_HOOK_BEFORE, call_before, function);
}

/* ---- The running pass ------------------------------------------------------------------------ */

static PyObject* queue_callback(PyObject* module, PyObject* function) {
  (void)module;
  if (!PyCallable_Check(function)) {
    return tnp_raise_format(TENON_ERROR_TYPE, "queue_callback: fn must be callable, got %s",
                            Py_TYPE(function)->tp_name);
  }
  tnp_reference* ctx = tnp_reference_make(function);
  if (ctx == NULL) return PyErr_NoMemory();
  if (tnp_check(tenon_backward_when_done(call_done, ctx, tnp_reference_drop)) != 0) return NULL;
  Py_RETURN_NONE;
}

static PyObject* current_pass(PyObject* module, PyObject* unused) {
  (void)module;
  (void)unused;
  return PyLong_FromLongLong(tenon_backward_pass());
}

static PyObject* pass_reaches(PyObject* module, PyObject* object) {
  (void)module;
  if (!TNP_IS_NODE(object)) {
    return tnp_raise_format(TENON_ERROR_TYPE, "pass_reaches: node must be Node, got %s",
                            Py_TYPE(object)->tp_name);
  }
  tenon_node* node = tnp_node_get(object);
  return node ? PyBool_FromLong(tenon_backward_reaches(node)) : NULL;
}

static PyMethodDef functions[] = {
    {"queue_callback", queue_callback, METH_O,
     "queue_callback(fn, /)\n--\n\nCalls `fn()` when the backward pass that runs now is done."},
    {"current_pass", current_pass, METH_NOARGS,
     "current_pass()\n--\n\nReturns the number of the backward pass that runs, 0 without one."},
    {"pass_reaches", pass_reaches, METH_O,
     "pass_reaches(node, /)\n--\n\nWhether the backward pass that runs comes to a node."},
    {NULL, NULL, 0, NULL}};

int tnp_hook_init(PyObject* module) {
  if (PyModule_AddFunctions(module, functions) != 0) return -1;
  return tnp_add_type(module, &handle_type, &handle_spec, NULL);
}
