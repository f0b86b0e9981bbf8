/* SPDX-License-Identifier: Apache-2.0 */
/* Custom autograd functions: apply(), and the callbacks that run backward. */
#include "function_context.h"
#include "value.h"

static PyTypeObject* record_type;
static PyObject *name_record, *name_forward, *name_setup, *name_backward, *name_vjp, *name_jvp,
    *name_class, *name_of_layer;
static PyObject *base_setup, *base_backward; /* of Function itself */
static PyObject* bind_defaults;              /* defined in function.py */

/* ---- A class's record ------------------------------------------------------------------------ */

typedef struct {
  PyObject_HEAD tenon_object* function;
  PyTypeObject* context_type;
  bool clears_saved;
} record;

static tenon_status run_backward(const tenon_backward_call* call);
static tenon_status run_jvp(void* ctx, tenon_function_context* context, const tenon_value* tangents,
                            tenon_value* out_tangents);

static PyObject* record_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static char* names[] = {"name", "context_type", "clears_saved", NULL};
  const char* name;
  PyObject* context_type;
  int clears_saved;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "sO!p:FunctionRecord", names, &name, &PyType_Type,
                                   &context_type, &clears_saved)) {
    return NULL;
  }
  if (!PyType_IsSubtype((PyTypeObject*)context_type, tnp_context_type)) {
    return tnp_raise_format(TENON_ERROR_TYPE,
                            "FunctionRecord: context_type must derive from FunctionContext");
  }
  record* self = (record*)type->tp_alloc(type, 0);
  if (self == NULL) return NULL;
  tenon_function_type description = {
      .struct_size = sizeof description,
      .flags = TENON_FUNCTION_SAVED_ON_DEMAND | TENON_FUNCTION_ONE_LEVEL,
      .name = name,
      .backward = run_backward,
      .jvp = run_jvp,
      .language = TENON_LANGUAGE_PYTHON};
  if (tnp_check(tenon_function_new(&description, &self->function)) != 0) {
    Py_DECREF(self);
    return NULL;
  }
  self->context_type = (PyTypeObject*)Py_NewRef(context_type);
  self->clears_saved = clears_saved != 0;
  return (PyObject*)self;
}

static int record_traverse(PyObject* object, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(((record*)object)->context_type);
  return 0;
}

static int record_clear(PyObject* object) {
  Py_CLEAR(((record*)object)->context_type);
  return 0;
}

static void record_dealloc(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  record_clear(object);
  tenon_object_release(((record*)object)->function);
  type->tp_free(object);
  Py_DECREF(type);
}

/* ---- Backward -------------------------------------------------------------------------------- */

/* Returns the user's backward, or vjp, which is an alias of it; new reference. */
static PyObject* backward_of(PyObject* class) {
  PyObject* backward = PyObject_GetAttr(class, name_backward);
  PyObject* vjp = backward ? PyObject_GetAttr(class, name_vjp) : NULL;
  if (vjp == NULL) {
    Py_XDECREF(backward);
    return NULL;
  }
  if (vjp == base_backward) {
    Py_DECREF(vjp);
    return backward;
  }
  bool both = backward != base_backward;
  Py_DECREF(backward);
  if (!both) return vjp;
  Py_DECREF(vjp);
  return tnp_raise_format(TENON_ERROR_RUNTIME,
                          "%R: either backward or vjp must be implemented, got both", class);
}

/* Stores the gradients that backward returned for the arguments in their edges. */
static int store_grads(const tenon_backward_call* call, const tnp_context* self, PyObject* result) {
  PyObject** grads = tnp_context_grads(call, self, &result);
  if (grads == NULL) return -1;
  const Py_ssize_t wanted = (Py_ssize_t)self->nargs;
  int64_t edge = 0;
  for (Py_ssize_t i = 0; i < wanted; i++) {
    bool is_tensor = tnp_context_is_tensor(self, i);
    if (grads[i] != Py_None && (!is_tensor || !TNP_IS_TENSOR(grads[i]))) {
      tnp_raise_format(is_tensor ? TENON_ERROR_TYPE : TENON_ERROR_RUNTIME,
                       is_tensor ? "%s: gradient %zd must be Tensor or None, got %s"
                                 : "%s: gradient %zd must be None, as its argument is no tensor, "
                                   "got %s",
                       tenon_node_name(call->node), i, Py_TYPE(grads[i])->tp_name);
      return -1;
    }
    if (is_tensor && tnp_context_write(call, edge++, grads[i]) != 0) return -1;
  }
  return 0;
}

static int backward(const tenon_backward_call* call) {
  PyObject* few[10];
  PyObject** args = few + 1; /* one slot in front for a bound method's self */
  Py_ssize_t count = (Py_ssize_t)call->noutputs + 1;
  if (count > 8 && (args = PyMem_Calloc((size_t)count, sizeof *args)) == NULL) {
    PyErr_NoMemory();
    return -1;
  }
  Py_ssize_t made = 0;
  int status = -1;
  args[0] = tnp_node_wrap(tenon_node_retain(call->node));
  while (args[made] != NULL && ++made < count) args[made] = tnp_context_grad(call, made - 1);
  if (made == count) {
    PyObject* class = PyObject_GetAttr((PyObject*)Py_TYPE(args[0]), name_class);
    PyObject* function = class ? backward_of(class) : NULL;
    PyObject* result = function ? PyObject_Vectorcall(function, args, (size_t)count, NULL) : NULL;
    status = result ? store_grads(call, (tnp_context*)args[0], result) : -1;
    Py_XDECREF(result);
    Py_XDECREF(function);
    Py_XDECREF(class);
  }
  while (made > 0) Py_DECREF(args[--made]);
  if (args != few + 1) PyMem_Free(args);
  return status;
}

static tenon_status run_backward(const tenon_backward_call* call) {
  PyGILState_STATE state;
  if (!tnp_attach(&state)) {
    return tenon_error_raise(TENON_ERROR_STATE,
                             "Python: the interpreter must be running to run a backward written in "
                             "Python, got one that is shutting down");
  }
  tenon_status status = backward(call) == 0 ? TENON_OK : tnp_exception_to_slot();
  tnp_drain_pending();
  tnp_detach(state);
  return status;
}

/* ---- Forward mode ---------------------------------------------------------------------------- */

/* The call that this thread is finishing while jvp runs, and its number of outputs. */
static _Thread_local struct {
  tnp_context* context;
  Py_ssize_t outputs;
} finishing;

/* Stores the tangents that jvp returned, one per output, None if an output has none. */
static int store_tangents(PyObject* name, PyObject* result, tenon_value* out_tangents) {
  bool is_tuple = PyTuple_Check(result);
  Py_ssize_t given = is_tuple ? PyTuple_GET_SIZE(result) : 1;
  PyObject** tangents = is_tuple ? &PyTuple_GET_ITEM(result, 0) : &result;
  if (given != finishing.outputs) {
    tnp_raise_format(TENON_ERROR_RUNTIME,
                     "%R: jvp must return a tangent for each of %zd outputs, got an invalid number "
                     "of forward gradients, %zd",
                     name, finishing.outputs, given);
    return -1;
  }
  for (Py_ssize_t i = 0; i < given; i++) {
    if (tangents[i] == Py_None) continue;
    if (!TNP_IS_TENSOR(tangents[i])) {
      tnp_raise_format(TENON_ERROR_TYPE, "%R: tangent %zd must be Tensor or None, got %s", name, i,
                       Py_TYPE(tangents[i])->tp_name);
      return -1;
    }
    tenon_tensor* tensor = tnp_tensor_get(tangents[i]);
    if (tensor == NULL) return -1;
    out_tangents[i] = tenon_value_give(tenon_value_of_tensor(tenon_tensor_retain(tensor)));
  }
  return 0;
}

static int jvp(tnp_context* self, const tenon_value* tangents, tenon_value* out_tangents) {
  PyObject* class = PyObject_GetAttr((PyObject*)Py_TYPE(self), name_class);
  PyObject* function = class ? PyObject_GetAttr(class, name_jvp) : NULL;
  Py_ssize_t count = (Py_ssize_t)self->nargs + 1, made = 1;
  PyObject** args = function ? PyMem_Calloc((size_t)count, sizeof *args) : NULL;
  int status = -1;
  if (args != NULL) {
    args[0] = (PyObject*)self;
    for (int64_t input = 0; made < count; made++) {
      const tenon_value* tangent =
          tnp_context_is_tensor(self, made - 1) ? &tangents[input++] : NULL;
      bool given = tangent != NULL && tangent->tag == TENON_TAG_TENSOR;
      args[made] =
          given ? tnp_tensor_wrap(tenon_tensor_retain(tangent->as.tensor)) : Py_NewRef(Py_None);
      if (args[made] == NULL) break;
    }
    self->in_jvp = true;
    PyObject* result =
        made == count ? PyObject_Vectorcall(function, args, (size_t)count, NULL) : NULL;
    self->in_jvp = false;
    status = result ? store_tangents(class, result, out_tangents) : -1;
    Py_XDECREF(result);
    while (--made > 0) Py_DECREF(args[made]);
    PyMem_Free(args);
  } else if (function != NULL) {
    PyErr_NoMemory();
  }
  Py_XDECREF(function);
  Py_XDECREF(class);
  return status;
}

static tenon_status run_jvp(void* ctx, tenon_function_context* context, const tenon_value* tangents,
                            tenon_value* out_tangents) {
  (void)ctx;
  tnp_context* self = finishing.context;
  if (self == NULL || self->context != context) {
    return tenon_error_raise(TENON_ERROR_INTERNAL, "jvp: call must be one that Python finishes");
  }
  PyGILState_STATE state;
  if (!tnp_attach(&state)) {
    return tenon_error_raise(TENON_ERROR_STATE,
                             "Python: the interpreter must be running to run a jvp written in "
                             "Python, got one that is shutting down");
  }
  tenon_status status = jvp(self, tangents, out_tangents) == 0 ? TENON_OK : tnp_exception_to_slot();
  tnp_detach(state);
  return status;
}

/* ---- Apply ----------------------------------------------------------------------------------- */

/* One call. */
typedef struct {
  PyObject* class;
  record* facts;
  PyObject *forward, *setup; /* setup NULL: forward takes the context */
  PyObject* bound;           /* the arguments with defaults, or NULL */
  PyObject* const* args;
  Py_ssize_t nargs;
  PyObject* kwnames;
  tnp_context* context;
} application;

/* Returns true if a plain function accepts `count` positional arguments without filling
 * defaults. */
static bool takes(PyObject* function, Py_ssize_t count) {
  if (!PyFunction_Check(function)) return false;
  const PyCodeObject* code = (PyCodeObject*)PyFunction_GET_CODE(function);
  if (code->co_kwonlyargcount != 0) return false;
  return code->co_argcount == count ||
         ((code->co_flags & CO_VARARGS) != 0 && count >= code->co_argcount);
}

static int read_call(application* self) {
  self->facts = (record*)PyObject_GetAttr(self->class, name_record);
  if (self->facts == NULL || Py_TYPE(self->facts) != record_type) {
    if (!PyErr_Occurred()) {
      tnp_raise_format(TENON_ERROR_TYPE, "%R: class must derive from Function", self->class);
    }
    return -1;
  }
  self->forward = PyObject_GetAttr(self->class, name_forward);
  self->setup = self->forward ? PyObject_GetAttr(self->class, name_setup) : NULL;
  if (self->setup == NULL) return -1;
  if (self->setup == base_setup) {
    Py_CLEAR(self->setup);
    return 0;
  }
  /* setup_context receives the arguments with defaults filled in. */
  if (self->kwnames == NULL && takes(self->forward, self->nargs)) return 0;
  PyObject* given = PyTuple_New(self->nargs);
  for (Py_ssize_t i = 0; given != NULL && i < self->nargs; i++) {
    PyTuple_SET_ITEM(given, i, Py_NewRef(self->args[i]));
  }
  Py_ssize_t named = self->kwnames ? PyTuple_GET_SIZE(self->kwnames) : 0;
  PyObject* names = given ? PyDict_New() : NULL;
  for (Py_ssize_t i = 0; names != NULL && i < named; i++) {
    if (PyDict_SetItem(names, PyTuple_GET_ITEM(self->kwnames, i), self->args[self->nargs + i]) != 0)
      Py_CLEAR(names);
  }
  if (names != NULL) {
    self->bound = PyObject_CallFunctionObjArgs(bind_defaults, self->forward, given, names, NULL);
  }
  Py_XDECREF(given);
  Py_XDECREF(names);
  if (self->bound == NULL) return -1;
  self->args = &PyTuple_GET_ITEM(self->bound, 0);
  self->nargs = PyTuple_GET_SIZE(self->bound);
  self->kwnames = NULL;
  return 0;
}

static int begin(application* self) {
  tnp_context* context = tnp_context_new(self->facts->context_type, self->nargs);
  self->context = context;
  if (context == NULL) return -1;
  context->clears_saved = self->facts->clears_saved;
  tenon_tensor* inputs[TNP_CONTEXT_ARGUMENTS];
  int64_t count = 0;
  for (Py_ssize_t i = 0; i < self->nargs; i++) {
    if (!TNP_IS_TENSOR(self->args[i])) continue;
    if ((inputs[count++] = tnp_tensor_get(self->args[i])) == NULL) return -1;
    tnp_context_set_tensor(context, i);
  }
  return tnp_check(tenon_function_begin(self->facts->function, inputs, count, &context->context));
}

/* Runs forward, and setup_context if defined, with gradients disabled. */
static PyObject* run_forward(application* self) {
  PyObject* result;
  if (self->setup != NULL) {
    result = PyObject_Vectorcall(self->forward, self->args, (size_t)self->nargs, NULL);
    PyObject* inputs = result ? PyTuple_New(self->nargs) : NULL;
    for (Py_ssize_t i = 0; inputs != NULL && i < self->nargs; i++) {
      PyTuple_SET_ITEM(inputs, i, Py_NewRef(self->args[i]));
    }
    PyObject* args[3] = {(PyObject*)self->context, inputs, result};
    PyObject* done = inputs ? PyObject_Vectorcall(self->setup, args, 3, NULL) : NULL;
    Py_XDECREF(inputs);
    if (done == NULL) Py_CLEAR(result);
    Py_XDECREF(done);
    return result;
  }
  Py_ssize_t total = self->nargs + (self->kwnames ? PyTuple_GET_SIZE(self->kwnames) : 0);
  PyObject* few[10];
  PyObject** args = few;
  if (total > 9 && (args = PyMem_Malloc((size_t)(total + 1) * sizeof *args)) == NULL) {
    return PyErr_NoMemory();
  }
  args[0] = (PyObject*)self->context;
  memcpy(args + 1, self->args, (size_t)total * sizeof *args);
  result = PyObject_Vectorcall(self->forward, args, (size_t)self->nargs + 1, self->kwnames);
  if (args != few) PyMem_Free(args);
  return result;
}

/* Replaces tensors of the result by their outputs in the graph; steals `result`. */
static PyObject* replace(PyObject* result, tenon_tensor** outputs, Py_ssize_t count) {
  bool is_tuple = PyTuple_Check(result);
  PyObject** given = is_tuple ? &PyTuple_GET_ITEM(result, 0) : &result;
  bool same = true;
  for (Py_ssize_t i = 0; i < count; i++) {
    same = same && (outputs[i] == NULL || outputs[i] == ((tnp_tensor*)given[i])->tensor);
  }
  PyObject* fresh = same ? NULL : is_tuple ? PyTuple_New(count) : NULL;
  for (Py_ssize_t i = 0; i < count; i++) {
    if (outputs[i] == NULL || same) {
      tenon_tensor_release(outputs[i]);
      if (fresh != NULL) PyTuple_SET_ITEM(fresh, i, Py_NewRef(given[i]));
      continue;
    }
    PyObject* each = tnp_tensor_wrap(outputs[i]);
    if (!is_tuple) {
      fresh = each;
    } else if (fresh != NULL) {
      if (each == NULL)
        Py_CLEAR(fresh); /* the remaining outputs are still released */
      else
        PyTuple_SET_ITEM(fresh, i, each);
    } else {
      Py_XDECREF(each);
    }
  }
  if (same) return result;
  Py_DECREF(result);
  return fresh;
}

PyObject* tnp_function_of_new(tenon_node* node) {
  tnp_context* context = finishing.context;
  tenon_function_context* found = tenon_function_context_of(node);
  if (context == NULL || found == NULL || context->context != found) return NULL;
  if (context->base.node == NULL && tnp_context_join(context, tenon_node_retain(node)) != 0) {
    return NULL;
  }
  return Py_NewRef((PyObject*)context);
}

static PyObject* imported(const char* module_name, const char* name) {
  PyObject* module = PyImport_ImportModule(module_name);
  PyObject* found = module ? PyObject_GetAttrString(module, name) : NULL;
  Py_XDECREF(module);
  return found;
}

/* Passes the context's declarations of gradient dtypes, which few functions make, to the result. */
static PyObject* declare(tnp_context* context, PyObject* result) {
  if (TNP_LIKELY(context->base.dict == NULL) || result == NULL) return result;
  PyObject* dtypes = PyDict_GetItemString(context->base.dict, "output_grad_dtypes");
  if (dtypes == NULL || dtypes == Py_None) return result;
  static PyObject* function;
  if (function == NULL) function = imported("tenon.autograd.function", "declare_grad_dtypes");
  PyObject* done = function ? PyObject_CallFunctionObjArgs(function, dtypes, result, NULL) : NULL;
  if (done == NULL) Py_CLEAR(result);
  Py_XDECREF(done);
  return result;
}

/* Links the outputs to the call's node; steals `result`. */
static PyObject* finish(application* self, PyObject* result) {
  bool is_tuple = PyTuple_Check(result);
  Py_ssize_t count = is_tuple ? PyTuple_GET_SIZE(result) : 1;
  PyObject** given = is_tuple ? &PyTuple_GET_ITEM(result, 0) : &result;
  tenon_tensor *few[8], **outputs = few;
  tenon_node* node = NULL;
  if (count > 8 && (outputs = PyMem_Malloc((size_t)count * sizeof *outputs)) == NULL) {
    Py_DECREF(result);
    return PyErr_NoMemory();
  }
  Py_ssize_t read = 0;
  for (; read < count; read++) {
    outputs[read] = NULL;
    if (!TNP_IS_TENSOR(given[read])) continue;
    tenon_tensor* tensor = tnp_tensor_get(given[read]);
    if (tensor == NULL) break;
    outputs[read] = tenon_tensor_retain(tensor);
  }
  int status = -1;
  if (read == count) {
    tenon_function_context* context = self->context->context;
    const __typeof__(finishing) outer = finishing;
    finishing.context = self->context;
    finishing.outputs = count;
    status = tnp_check(tenon_function_finish(context, outputs, count, &node));
    finishing = outer;
    if (node == NULL) self->context->context = NULL; /* the call has ended without being recorded */
  }
  if (status == 0 && node != NULL) {
    if (self->context->base.node == NULL) {
      status = tnp_context_join(self->context, node);
    } else {
      tenon_node_release(node); /* a hook of new nodes has already made the node's object */
    }
  }
  if (status == 0) {
    result = declare(self->context, replace(result, outputs, count));
  } else {
    for (Py_ssize_t i = 0; i < read; i++) tenon_tensor_release(outputs[i]);
    Py_CLEAR(result);
  }
  if (outputs != few) PyMem_Free(outputs);
  return result;
}

/* Applies the function inside a transform: function_layer.py handles the innermost layer. */
static PyObject* apply_in_layer(PyObject* class, PyObject* const* args, Py_ssize_t nargs,
                                PyObject* kwnames) {
  static PyObject* function;
  if (function == NULL) {
    function = imported("tenon.autograd.function_layer", "apply_in_layer");
    if (function == NULL) return NULL;
  }
  PyObject* given = PyTuple_New(nargs);
  PyObject* named = given ? PyDict_New() : NULL;
  for (Py_ssize_t i = 0; named != NULL && i < nargs; i++) {
    PyTuple_SET_ITEM(given, i, Py_NewRef(args[i]));
  }
  const Py_ssize_t count = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
  for (Py_ssize_t i = 0; named != NULL && i < count; i++) {
    if (PyDict_SetItem(named, PyTuple_GET_ITEM(kwnames, i), args[nargs + i]) != 0) Py_CLEAR(named);
  }
  PyObject* result =
      named ? PyObject_CallFunctionObjArgs(function, class, given, named, NULL) : NULL;
  Py_XDECREF(given);
  Py_XDECREF(named);
  return result;
}

/* Returns true if a transform's layer must handle the call and is not handling it already. */
static int is_in_layer(PyObject* class) {
  tenon_layer* layer = tenon_layer_copy_innermost();
  if (TNP_LIKELY(layer == NULL)) return 0;
  tenon_layer_release(layer);
  return PyObject_HasAttr(class, name_of_layer) ? 0 : 1;
}

static PyObject* apply(PyObject* class, PyObject* const* args, Py_ssize_t nargs,
                       PyObject* kwnames) {
  if (is_in_layer(class)) return apply_in_layer(class, args, nargs, kwnames);
  application self = {.class = class, .args = args, .nargs = nargs, .kwnames = kwnames};
  PyObject* result = NULL;
  if (read_call(&self) == 0 && begin(&self) == 0) {
    tenon_key_guard guard;
    if (tnp_check(tenon_grad_mode_enter(TENON_GRAD_MODE_OFF, &guard)) == 0) {
      result = run_forward(&self);
      if (tenon_key_guard_leave(&guard) != TENON_OK) {
        /* Forward entered a guard and did not leave it. An error of forward takes precedence. */
        tenon_error* error = tenon_error_take();
        if (result != NULL) tnp_raise_error(tenon_error_retain(error));
        tenon_error_release(error);
        Py_CLEAR(result);
      }
    }
    if (result != NULL) result = finish(&self, result);
  }
  if (self.context != NULL && self.context->base.node == NULL) {
    tenon_function_cancel(self.context->context);
    self.context->context = NULL;
  }
  Py_XDECREF(self.context);
  Py_XDECREF(self.bound);
  Py_XDECREF(self.setup);
  Py_XDECREF(self.forward);
  Py_XDECREF(self.facts);
  return result;
}

/* ---- Types ----------------------------------------------------------------------------------- */

/* (setup_context and backward of Function itself, the function that fills in defaults). */
static PyObject* set_function_base(PyObject* module, PyObject* args) {
  (void)module;
  PyObject *setup, *backward, *binder;
  if (!PyArg_ParseTuple(args, "OOO:_set_function_base", &setup, &backward, &binder)) return NULL;
  Py_XSETREF(base_setup, Py_NewRef(setup));
  Py_XSETREF(base_backward, Py_NewRef(backward));
  Py_XSETREF(bind_defaults, Py_NewRef(binder));
  Py_RETURN_NONE;
}

static PyMethodDef functions[] = {{"_set_function_base", set_function_base, METH_VARARGS, NULL},
                                  {NULL, NULL, 0, NULL}};

static PyType_Slot record_slots[] = {{Py_tp_doc, "What the native part keeps for a Function."},
                                     {Py_tp_new, record_new},
                                     {Py_tp_dealloc, record_dealloc},
                                     {Py_tp_traverse, record_traverse},
                                     {Py_tp_clear, record_clear},
                                     {0, NULL}};
static PyType_Spec record_spec = {"tenon._tenon.FunctionRecord", sizeof(record), 0,
                                  Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, record_slots};

static PyMethodDef base_methods[] = {
    {"apply", (PyCFunction)(void (*)(void))apply, METH_FASTCALL | METH_KEYWORDS | METH_CLASS,
     "apply(*args, **kwargs)\n--\n\nRuns forward and records it as one node of the graph."},
    {NULL, NULL, 0, NULL}};
static PyType_Slot base_slots[] = {{Py_tp_doc, "The native part of tenon.autograd.Function."},
                                   {Py_tp_methods, base_methods},
                                   {0, NULL}};
static PyTypeObject* base_type;
static PyType_Spec base_spec = {"tenon._tenon.FunctionBase", sizeof(PyObject), 0,
                                Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, base_slots};

static int intern(PyObject** slot, const char* text) {
  *slot = PyUnicode_InternFromString(text);
  return *slot != NULL ? 0 : -1;
}

int tnp_function_init(PyObject* module) {
  if (intern(&name_record, "_record") != 0 || intern(&name_forward, "forward") != 0 ||
      intern(&name_setup, "setup_context") != 0 || intern(&name_backward, "backward") != 0 ||
      intern(&name_vjp, "vjp") != 0 || intern(&name_jvp, "jvp") != 0 ||
      intern(&name_class, "_forward_cls") != 0 || intern(&name_of_layer, "_of_layer") != 0) {
    return -1;
  }
  if (PyModule_AddFunctions(module, functions) != 0) return -1;
  if (tnp_add_type(module, &record_type, &record_spec, NULL) != 0) return -1;
  return tnp_add_type(module, &base_type, &base_spec, NULL);
}
