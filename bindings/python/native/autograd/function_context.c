/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts: what a custom function's call saves and marks. A context also becomes the call's node
 * object. */
#include "function_context.h"

#include "value.h"

PyTypeObject* tnp_context_type;

/* ---- Life ------------------------------------------------------------------------------------ */

tnp_context* tnp_context_new(PyTypeObject* type, Py_ssize_t nargs) {
  if (nargs > TNP_CONTEXT_ARGUMENTS) {
    tnp_raise_format(TENON_ERROR_NOT_SUPPORTED, "%s: arguments must be at most %d, got %zd",
                     type->tp_name, TNP_CONTEXT_ARGUMENTS, nargs);
    return NULL;
  }
  tnp_context* self = (tnp_context*)type->tp_alloc(type, 0); /* the other fields are zero */
  if (self != NULL) self->nargs = (uint32_t)nargs;
  return self;
}

int tnp_context_join(tnp_context* self, tenon_node* node) {
  void** cell = tenon_node_cell(node, TENON_LANGUAGE_PYTHON);
  if (cell == NULL) {
    self->context = NULL;
    tenon_node_release(node);
    PyErr_NoMemory();
    return -1;
  }
  *cell = self;
  self->base.node = node;
  return 0;
}

/* A context object kept for its call's node until the node's object is requested. */
typedef struct {
  tnp_garbage garbage;
  PyObject* object; /* NULL once it has been handed over */
  int32_t lengths[];
} waiting;

static void waiting_run(tnp_garbage* garbage) {
  Py_XDECREF(((waiting*)garbage)->object);
  PyMem_RawFree(garbage);
}
static void drop_waiting(void* state) { tnp_discard(&((waiting*)state)->garbage); }

int tnp_context_wait(tnp_context* self, uint32_t lengths) {
  waiting* state = PyMem_RawMalloc(sizeof *state + lengths * sizeof *state->lengths);
  if (state == NULL) {
    PyErr_NoMemory();
    return -1;
  }
  state->garbage.run = waiting_run;
  state->object = Py_NewRef((PyObject*)self);
  self->lengths = state->lengths;
  tenon_function_context_set_state(self->context, state, drop_waiting);
  return 0;
}

PyObject* tnp_context_of(tenon_node* node) {
  tenon_function_context* context = tenon_function_context_of(node);
  if (context == NULL) return NULL;
  waiting* state = tenon_function_context_state(context, TENON_LANGUAGE_PYTHON);
  if (state == NULL || state->object == NULL) return NULL;
  PyObject* object = state->object;
  if (tnp_context_join((tnp_context*)object, node) != 0) return NULL;
  state->object = NULL;
  return object;
}

/* Returns the context if the call is running or its node is alive; NULL with an exception. */
static tenon_function_context* context_of(PyObject* object) {
  tnp_context* self = (tnp_context*)object;
  if (self->context == NULL) {
    tnp_raise_format(TENON_ERROR_STATE, "%s: call must be recorded, got one that is not",
                     Py_TYPE(object)->tp_name);
    return NULL;
  }
  bool begun = self->base.node == NULL && self->base.keeper == NULL;
  return begun || tnp_node_get(object) != NULL ? self->context : NULL;
}

/* ---- Set by forward -------------------------------------------------------------------------- */

static PyObject* save_for_backward(PyObject* object, PyObject* const* args, Py_ssize_t nargs) {
  tenon_function_context* context = context_of(object);
  if (context == NULL) return NULL;
  tenon_value few[8], *values = few;
  if (nargs > 8 && (values = PyMem_Malloc((size_t)nargs * sizeof *values)) == NULL) {
    return PyErr_NoMemory();
  }
  int status = 0;
  for (Py_ssize_t i = 0; status == 0 && i < nargs; i++) {
    values[i] = tenon_value_of_none();
    if (args[i] == Py_None) continue;
    if (!TNP_IS_TENSOR(args[i])) {
      tnp_raise_format(TENON_ERROR_TYPE,
                       "save_for_backward: argument %zd must be Tensor or None, "
                       "got %s",
                       i, Py_TYPE(args[i])->tp_name);
      status = -1;
      continue;
    }
    tenon_tensor* tensor = tnp_tensor_get(args[i]);
    if (tensor == NULL) status = -1;
    tnp_set_tensor(&values[i], tensor);
  }
  if (status == 0) status = tnp_check(tenon_function_context_save(context, values, nargs));
  if (values != few) PyMem_Free(values);
  return status == 0 ? Py_NewRef(Py_None) : NULL;
}

static PyObject* mark(PyObject* object, PyObject* const* args, Py_ssize_t nargs, const char* what,
                      tenon_status (*marks)(tenon_function_context*, tenon_tensor*)) {
  tenon_function_context* context = context_of(object);
  if (context == NULL) return NULL;
  for (Py_ssize_t i = 0; i < nargs; i++) {
    if (!TNP_IS_TENSOR(args[i])) {
      return tnp_raise_format(TENON_ERROR_TYPE, "%s: argument %zd must be Tensor, got %s", what, i,
                              Py_TYPE(args[i])->tp_name);
    }
    tenon_tensor* tensor = tnp_tensor_get(args[i]);
    if (tensor == NULL || tnp_check(marks(context, tensor)) != 0) return NULL;
  }
  Py_RETURN_NONE;
}

static PyObject* mark_dirty(PyObject* object, PyObject* const* args, Py_ssize_t nargs) {
  return mark(object, args, nargs, "mark_dirty", tenon_function_context_mark_dirty);
}

static PyObject* mark_non_differentiable(PyObject* object, PyObject* const* args,
                                         Py_ssize_t nargs) {
  return mark(object, args, nargs, "mark_non_differentiable",
              tenon_function_context_mark_non_differentiable);
}

static PyObject* set_materialize_grads(PyObject* object, PyObject* value) {
  tenon_function_context* context = context_of(object);
  int truth = context ? PyObject_IsTrue(value) : -1;
  if (truth < 0) return NULL;
  tenon_function_context_set_materialize_grads(context, truth);
  Py_RETURN_NONE;
}

static PyObject* set_once_differentiable(PyObject* object, PyObject* unused) {
  (void)unused;
  tenon_function_context* context = context_of(object);
  if (context == NULL) return NULL;
  tenon_function_context_set_once_differentiable(context);
  Py_RETURN_NONE;
}

/* ---- Read by backward ------------------------------------------------------------------------ */

static PyObject* get_saved(PyObject* object, void* unused) {
  (void)unused;
  tenon_function_context* context = context_of(object);
  if (context == NULL) return NULL;
  if (((tnp_context*)object)->in_jvp && ((tnp_context*)object)->base.dict != NULL) {
    PyObject* forward =
        PyDict_GetItemString(((tnp_context*)object)->base.dict, "saved_for_forward");
    if (forward != NULL) return Py_NewRef(forward);
  }
  Py_ssize_t count = (Py_ssize_t)tenon_function_context_saved_count(context);
  PyObject* saved = PyTuple_New(count);
  for (Py_ssize_t i = 0; saved != NULL && i < count; i++) {
    tenon_value value;
    PyObject* each = NULL;
    if (tnp_check(tenon_function_context_copy_saved(context, i, &value)) == 0) {
      each = value.tag == TENON_TAG_TENSOR ? tnp_tensor_wrap(value.as.tensor) : Py_NewRef(Py_None);
    }
    if (each == NULL)
      Py_CLEAR(saved);
    else
      PyTuple_SET_ITEM(saved, i, each);
  }
  if (saved != NULL && ((tnp_context*)object)->clears_saved) {
    tenon_function_context_drop_saved(context);
  }
  return saved;
}

/* Returns a property of an argument's edge, a new reference. `edge` is -1 for arguments without
 * one. */
typedef PyObject* (*of_edge)(tnp_context* self, int64_t edge);

static PyObject* list_of_edges(tnp_context* self, of_edge give, int64_t* edge, int32_t length) {
  PyObject* list = PyList_New(length);
  for (int32_t i = 0; list != NULL && i < length; i++) {
    PyObject* each = give(self, (*edge)++);
    if (each == NULL)
      Py_CLEAR(list);
    else
      PyList_SET_ITEM(list, i, each);
  }
  return list;
}

/* Returns a tuple with the property of each argument; a list for an argument that is a tensor
 * list. */
static PyObject* tuple_of_arguments(tnp_context* self, of_edge give) {
  PyObject* tuple = PyTuple_New(self->nargs);
  int64_t edge = 0;
  for (Py_ssize_t i = 0; tuple != NULL && i < (Py_ssize_t)self->nargs; i++) {
    PyObject* each;
    if (self->lengths != NULL && self->lengths[i] >= 0) {
      each = list_of_edges(self, give, &edge, self->lengths[i]);
    } else {
      each = give(self, tnp_context_is_tensor(self, i) ? edge++ : -1);
    }
    if (each == NULL)
      Py_CLEAR(tuple);
    else
      PyTuple_SET_ITEM(tuple, i, each);
  }
  return tuple;
}

static PyObject* need_of(tnp_context* self, int64_t edge) {
  bool needed = edge >= 0 && tenon_function_context_needs_grad(self->context, edge);
  return Py_NewRef(needed ? Py_True : Py_False);
}

static PyObject* get_needs(PyObject* object, void* unused) {
  (void)unused;
  return context_of(object) ? tuple_of_arguments((tnp_context*)object, need_of) : NULL;
}

static PyObject* waiting_of(tnp_context* self, int64_t edge) {
  tenon_node* next = NULL;
  tenon_tensor* grad = NULL;
  int64_t output = 0;
  if (edge < 0) Py_RETURN_NONE;
  int status = tnp_check(tenon_node_copy_edge(self->base.node, edge, &next, &output));
  if (status == 0 && next != NULL) {
    status = tnp_check(tenon_backward_copy_waiting(next, output, &grad));
  }
  tenon_node_release(next);
  if (status != 0) return NULL;
  return grad != NULL ? tnp_tensor_wrap(grad) : Py_NewRef(Py_None);
}

static PyObject* get_waiting(PyObject* object, void* unused) {
  (void)unused;
  if (context_of(object) == NULL || tnp_node_get(object) == NULL) return NULL;
  return tuple_of_arguments((tnp_context*)object, waiting_of);
}

PyObject* tnp_context_grad(const tenon_backward_call* call, int64_t output) {
  tenon_tensor* grad = call->grads[output];
  return grad ? tnp_tensor_wrap(tenon_tensor_retain(grad)) : Py_NewRef(Py_None);
}

PyObject** tnp_context_grads(const tenon_backward_call* call, const tnp_context* self,
                             PyObject** result) {
  const bool is_tuple = PyTuple_Check(*result);
  const Py_ssize_t wanted = (Py_ssize_t)self->nargs;
  Py_ssize_t given = is_tuple ? PyTuple_GET_SIZE(*result) : 1;
  PyObject** grads = is_tuple ? &PyTuple_GET_ITEM(*result, 0) : result;
  while (given > wanted && grads[given - 1] == Py_None) given--;
  if (given == wanted) return grads;
  tnp_raise_format(TENON_ERROR_RUNTIME,
                   "%s: backward must return a gradient for each of %zd arguments, got an "
                   "incorrect number of gradients, %zd",
                   tenon_node_name(call->node), wanted, given);
  return NULL;
}

int tnp_context_write(const tenon_backward_call* call, int64_t edge, PyObject* grad) {
  if (grad == Py_None) return 0;
  tenon_tensor* tensor = tnp_tensor_get(grad);
  if (tensor == NULL) return -1;
  if (edge < call->ninputs) call->out_grads[edge] = tenon_tensor_retain(tensor);
  return 0;
}

/* ---- The type -------------------------------------------------------------------------------- */

static PyMethodDef methods[] = {
    {"save_for_backward", (PyCFunction)(void (*)(void))save_for_backward, METH_FASTCALL,
     "save_for_backward(*tensors)\n--\n\nSaves tensors, or None, for backward. Once a call."},
    {"mark_dirty", (PyCFunction)(void (*)(void))mark_dirty, METH_FASTCALL,
     "mark_dirty(*args)\n--\n\nSays that forward has written inputs in place; it returns them."},
    {"mark_non_differentiable", (PyCFunction)(void (*)(void))mark_non_differentiable, METH_FASTCALL,
     "mark_non_differentiable(*args)\n--\n\nSays that outputs have no gradient."},
    {"set_materialize_grads", set_materialize_grads, METH_O,
     "set_materialize_grads(value, /)\n--\n\nWhether backward gets zeros for gradients that did "
     "not "
     "come, as at first, or None."},
    {"_set_once_differentiable", set_once_differentiable, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL}};
static PyGetSetDef getset[] = {
    {"saved_tensors", get_saved, NULL, "What was saved for backward, as a tuple.", NULL},
    {"needs_input_grad", get_needs, NULL, "Whether gradients flow to each argument.", NULL},
    {"input_grad_buffers", get_waiting, NULL,
     "In backward: for each argument the gradient that its producer has so far, or None.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};
static PyType_Slot slots[] = {{Py_tp_doc, "The context of a call with a gradient of its own."},
                              {Py_tp_methods, methods},
                              {Py_tp_getset, getset},
                              {0, NULL}};
static PyType_Spec spec = {
    "tenon._tenon.FunctionContext", sizeof(tnp_context), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    slots}; /* garbage-collected like nodes */

int tnp_context_init(PyObject* module) {
  return tnp_add_type(module, &tnp_context_type, &spec, (PyObject*)tnp_node_type);
}
