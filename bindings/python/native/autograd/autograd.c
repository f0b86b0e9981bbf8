/* SPDX-License-Identifier: Apache-2.0 */
/* Autograd: gradient attributes of tensors, and backward passes. */
#include "function_context.h"
#include "saved.h"

/* ---- Tensors --------------------------------------------------------------------------------- */

static PyObject* get_requires_grad(PyObject* self, void* unused) {
  (void)unused;
  tenon_tensor* tensor = tnp_tensor_get(self);
  return tensor ? PyBool_FromLong(tenon_tensor_requires_grad(tensor)) : NULL;
}

static int set_requires_grad(PyObject* self, PyObject* value, void* unused) {
  (void)unused;
  tenon_tensor* tensor = tnp_tensor_get(self);
  if (tensor == NULL) return -1;
  if (value == NULL || !PyBool_Check(value)) {
    tnp_raise_format(TENON_ERROR_TYPE, "requires_grad: value must be bool, got %s",
                     value ? Py_TYPE(value)->tp_name : "none");
    return -1;
  }
  return tnp_check(tenon_tensor_set_requires_grad(tensor, value == Py_True));
}

/* Sets the attribute, which is allowed for leaves only. */
static int set_requires_grad_attribute(PyObject* self, PyObject* value, void* unused) {
  tenon_tensor* tensor = tnp_tensor_get(self);
  if (tensor == NULL) return -1;
  if (!tenon_tensor_is_leaf(tensor)) {
    tnp_raise_format(TENON_ERROR_STATE,
                     "requires_grad: tensor must be a leaf, got one made by a recorded call; "
                     "detach() gives one that gradients do not flow to");
    return -1;
  }
  return set_requires_grad(self, value, unused);
}

/* Raises an error inside function transforms such as vmap and grad, where gradients belong to the
 * transform. */
static int refuse_in_transform(const char* function) {
  tenon_layer* layer = tenon_layer_copy_innermost();
  if (layer == NULL) return 0;
  static const char* const kNames[] = {[TENON_LAYER_VMAP] = "vmap",
                                       [TENON_LAYER_GRAD] = "grad, vjp or jacrev",
                                       [TENON_LAYER_JVP] = "jvp or jacfwd"};
  const uint32_t kind = tenon_layer_kind(layer);
  tenon_layer_release(layer);
  tnp_raise_format(
      TENON_ERROR_STATE,
      "%s: must be called outside of function transforms, got a call inside of %s; use "
      "func.grad or func.vjp there",
      function, kind < sizeof kNames / sizeof *kNames ? kNames[kind] : "one");
  return -1;
}

static PyObject* requires_grad_(PyObject* self, PyObject* args, PyObject* kwargs) {
  static char* names[] = {"requires_grad", NULL};
  PyObject* value = Py_True;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O:requires_grad_", names, &value)) return NULL;
  if (value == Py_True && refuse_in_transform("requires_grad_") != 0) return NULL;
  return set_requires_grad(self, value, NULL) == 0 ? Py_NewRef(self) : NULL;
}

static PyObject* get_is_leaf(PyObject* self, void* unused) {
  (void)unused;
  tenon_tensor* tensor = tnp_tensor_get(self);
  return tensor ? PyBool_FromLong(tenon_tensor_is_leaf(tensor)) : NULL;
}

static PyObject* get_grad(PyObject* self, void* unused) {
  (void)unused;
  tenon_tensor* tensor = tnp_tensor_get(self);
  if (tensor == NULL) return NULL;
  if (!tenon_tensor_is_leaf(tensor) && !tenon_tensor_retains_grad(tensor) &&
      PyErr_WarnEx(PyExc_UserWarning,
                   "the .grad of a tensor that is not a leaf is being accessed; backward() fills "
                   ".grad of leaves only, unless retain_grad() was called on the tensor",
                   1) != 0) {
    return NULL;
  }
  tenon_tensor* grad = NULL;
  if (tnp_check(tenon_tensor_copy_grad(tensor, &grad)) != 0) return NULL;
  if (grad == NULL) Py_RETURN_NONE;
  return tnp_tensor_wrap(grad);
}

static int set_grad(PyObject* self, PyObject* value, void* unused) {
  (void)unused;
  tenon_tensor* tensor = tnp_tensor_get(self);
  if (tensor == NULL) return -1;
  tenon_tensor* grad = NULL;
  if (value != NULL && value != Py_None) {
    if (!TNP_IS_TENSOR(value)) {
      tnp_raise_format(TENON_ERROR_TYPE, "grad: value must be Tensor or None, got %s",
                       Py_TYPE(value)->tp_name);
      return -1;
    }
    if ((grad = tnp_tensor_get(value)) == NULL) return -1;
  }
  return tnp_check(tenon_tensor_set_grad(tensor, grad));
}

/* Returns None for a leaf, although its gradients are accumulated by a node. */
static PyObject* get_grad_fn(PyObject* self, void* unused) {
  (void)unused;
  tenon_tensor* tensor = tnp_tensor_get(self);
  if (tensor == NULL) return NULL;
  tenon_node* node = NULL;
  int64_t output;
  if (tnp_check(tenon_tensor_copy_node(tensor, &node, &output)) != 0) return NULL;
  if (tenon_tensor_is_leaf(tensor)) {
    tenon_node_release(node);
    Py_RETURN_NONE;
  }
  return tnp_node_wrap(node);
}

static PyObject* get_output_nr(PyObject* self, void* unused) {
  (void)unused;
  tenon_tensor* tensor = tnp_tensor_get(self);
  tenon_node* node = NULL;
  int64_t output = 0;
  if (tensor == NULL || tnp_check(tenon_tensor_copy_node(tensor, &node, &output)) != 0) return NULL;
  tenon_node_release(node);
  return PyLong_FromLongLong(node != NULL ? output : 0);
}

static PyObject* get_retains_grad(PyObject* self, void* unused) {
  (void)unused;
  tenon_tensor* tensor = tnp_tensor_get(self);
  return tensor ? PyBool_FromLong(tenon_tensor_retains_grad(tensor)) : NULL;
}

static PyObject* retain_grad(PyObject* self, PyObject* unused) {
  (void)unused;
  tenon_tensor* tensor = tnp_tensor_get(self);
  if (tensor == NULL || tnp_check(tenon_tensor_retain_grad(tensor)) != 0) return NULL;
  if (!tenon_tensor_is_leaf(tensor) && refuse_in_transform("retain_grad") != 0) return NULL;
  Py_RETURN_NONE;
}

static PyObject* get_grad_dtype(PyObject* self, void* unused) {
  (void)unused;
  tenon_tensor* tensor = tnp_tensor_get(self);
  if (tensor == NULL) return NULL;
  tenon_dtype dtype = tenon_tensor_grad_dtype(tensor);
  if (dtype == TENON_DTYPE_NONE) Py_RETURN_NONE;
  return tnp_dtype_object(dtype);
}

static int set_gradients_dtype(tenon_tensor* tensor, PyObject* value) {
  tenon_dtype dtype = TENON_DTYPE_NONE;
  if (value != NULL && value != Py_None) {
    int named = tnp_to_dtype(value, &dtype);
    if (named == 0) {
      tnp_raise_format(TENON_ERROR_TYPE, "grad_dtype: value must be dtype or None, got %s",
                       Py_TYPE(value)->tp_name);
    }
    if (named != 1) return -1;
  }
  return tnp_check(tenon_tensor_set_grad_dtype(tensor, dtype));
}

static int set_grad_dtype(PyObject* self, PyObject* value, void* unused) {
  (void)unused;
  tenon_tensor* tensor = tnp_tensor_get(self);
  if (tensor == NULL) return -1;
  if (!tenon_tensor_is_leaf(tensor)) {
    tnp_raise_format(TENON_ERROR_STATE,
                     "grad_dtype: tensor must be a leaf, got one made by a recorded call; a "
                     "Function declares it by ctx.set_output_grad_dtype()");
    return -1;
  }
  return set_gradients_dtype(tensor, value);
}

/* (result of a recorded call, dtype or None): declares the dtype in which the call's formula
 * receives gradients. */
static PyObject* declare_grad_dtype(PyObject* module, PyObject* args) {
  (void)module;
  PyObject *object, *dtype;
  if (!PyArg_ParseTuple(args, "OO:declare_grad_dtype", &object, &dtype)) return NULL;
  tenon_tensor* tensor = tnp_tensor_get(object);
  if (tensor == NULL || set_gradients_dtype(tensor, dtype) != 0) return NULL;
  Py_RETURN_NONE;
}

static PyObject* get_base(PyObject* self, void* unused) {
  (void)unused;
  tenon_tensor* tensor = tnp_tensor_get(self);
  if (tensor == NULL) return NULL;
  tenon_tensor* base = tenon_tensor_copy_base(tensor);
  if (base == NULL) Py_RETURN_NONE;
  return tnp_tensor_wrap(base);
}

static PyGetSetDef tensor_getset[] = {
    {"requires_grad", get_requires_grad, set_requires_grad_attribute,
     "Whether gradients flow to it.", NULL},
    {"is_leaf", get_is_leaf, NULL, "Whether no recorded call has made it.", NULL},
    {"grad", get_grad, set_grad, "What backward passes have left with a leaf.", NULL},
    {"grad_fn", get_grad_fn, NULL, "The node of the call that has made it.", NULL},
    {"output_nr", get_output_nr, NULL, "Which result of that call it is, counted from 0.", NULL},
    {"_base", get_base, NULL, "The tensor that it is a view of.", NULL},
    {"retains_grad", get_retains_grad, NULL, "Whether passes leave gradients with it, no leaf.",
     NULL},
    {"grad_dtype", get_grad_dtype, set_grad_dtype, "What gradients of a leaf are converted to.",
     NULL},
    {NULL, NULL, NULL, NULL, NULL}};
static PyMethodDef tensor_methods[] = {
    {"requires_grad_", (PyCFunction)(void (*)(void))requires_grad_, METH_VARARGS | METH_KEYWORDS,
     "requires_grad_(requires_grad=True)\n--\n\nMakes a leaf ask for gradients; returns it."},
    {"retain_grad", retain_grad, METH_NOARGS,
     "retain_grad()\n--\n\nMakes backward passes leave the gradient in `.grad`, also for a tensor "
     "that is no leaf."},
    {"register_hook", tnp_tensor_register_hook, METH_O,
     "register_hook(hook, /)\n--\n\nCalls `hook(grad)` whenever the tensor's gradient is known; "
     "what "
     "it returns, unless None, takes the gradient's place. Returns a handle that removes it."},
    {"register_post_accumulate_grad_hook", tnp_tensor_register_accumulated, METH_O,
     "register_post_accumulate_grad_hook(hook, /)\n--\n\nCalls `hook(tensor)` whenever a leaf's "
     "`.grad` has been added to. Returns a handle that removes it."},
    {NULL, NULL, 0, NULL}};

static int extend_tensor(void) {
  PyObject* dict = tnp_tensor_type->tp_dict;
  for (PyGetSetDef* each = tensor_getset; each->name != NULL; each++) {
    PyObject* descriptor = PyDescr_NewGetSet(tnp_tensor_type, each);
    int status = descriptor ? PyDict_SetItemString(dict, each->name, descriptor) : -1;
    Py_XDECREF(descriptor);
    if (status != 0) return -1;
  }
  for (PyMethodDef* each = tensor_methods; each->ml_name != NULL; each++) {
    PyObject* method = PyDescr_NewMethod(tnp_tensor_type, each);
    int status = method ? PyDict_SetItemString(dict, each->ml_name, method) : -1;
    Py_XDECREF(method);
    if (status != 0) return -1;
  }
  PyType_Modified(tnp_tensor_type);
  return 0;
}

/* ---- Backward passes ------------------------------------------------------------------------- */

/* The tensors and node outputs at which a pass starts or ends. For a node output, the element of
 * `tensors` is NULL. */
typedef struct {
  tenon_tensor** tensors;
  tenon_node** nodes;
  int64_t* numbers;
  Py_ssize_t count;
} places;

static void free_places(places* self) {
  PyMem_Free(self->tensors);
  PyMem_Free(self->nodes);
  PyMem_Free(self->numbers);
}

/* Reads an edge, a tuple of a node and an output number. Returns 1 if read, 0 if the object is not
 * an edge, -1 with an exception. */
static int read_edge(PyObject* object, places* out, Py_ssize_t index) {
  if (!PyTuple_Check(object) || PyTuple_GET_SIZE(object) < 2) return 0;
  if (!TNP_IS_NODE(PyTuple_GET_ITEM(object, 0))) return 0;
  out->nodes[index] = tnp_node_get(PyTuple_GET_ITEM(object, 0));
  out->numbers[index] = PyLong_AsLongLong(PyTuple_GET_ITEM(object, 1));
  return out->nodes[index] == NULL || PyErr_Occurred() ? -1 : 1;
}

/* Reads a tuple of tensors and edges, borrowed. With `optional`, None becomes NULL. */
static int read_places(const char* what, PyObject* tuple, bool optional, places* out) {
  out->count = PyTuple_GET_SIZE(tuple);
  size_t size = (size_t)out->count + 1;
  out->tensors = PyMem_Calloc(size, sizeof *out->tensors);
  out->nodes = PyMem_Calloc(size, sizeof *out->nodes);
  out->numbers = PyMem_Calloc(size, sizeof *out->numbers);
  if (out->tensors == NULL || out->nodes == NULL || out->numbers == NULL) {
    PyErr_NoMemory();
    return -1;
  }
  for (Py_ssize_t i = 0; i < out->count; i++) {
    PyObject* each = PyTuple_GET_ITEM(tuple, i);
    if (optional && each == Py_None) continue;
    int edge = read_edge(each, out, i);
    if (edge < 0) return -1;
    if (edge > 0) continue;
    if (!TNP_IS_TENSOR(each)) {
      tnp_raise_format(TENON_ERROR_TYPE, "%s %zd must be Tensor or GradientEdge, got %s", what, i,
                       Py_TYPE(each)->tp_name);
      return -1;
    }
    if ((out->tensors[i] = tnp_tensor_get(each)) == NULL) return -1;
  }
  return 0;
}

static PyObject* give_grads(tenon_tensor** grads, Py_ssize_t count) {
  PyObject* tuple = PyTuple_New(count);
  for (Py_ssize_t i = 0; i < count; i++) {
    PyObject* grad = NULL;
    if (tuple == NULL) {
      tenon_tensor_release(grads[i]);
    } else if (grads[i] == NULL) {
      grad = Py_NewRef(Py_None);
    } else {
      grad = tnp_tensor_wrap(grads[i]);
    }
    if (tuple == NULL) continue;
    if (grad == NULL)
      Py_CLEAR(tuple);
    else
      PyTuple_SET_ITEM(tuple, i, grad);
  }
  return tuple;
}

/* True if the calling thread's innermost pass computes gradients of given inputs only. */
static _Thread_local bool to_inputs;

/* Runs a pass without the GIL. Returns 0, or -1 with an exception. */
static int pass(const tenon_backward_options* options, tenon_tensor** out_grads) {
  const bool outer = to_inputs;
  to_inputs = options->ninputs != 0;
  tenon_status status;
  Py_BEGIN_ALLOW_THREADS status =
      out_grads != NULL ? tenon_grad(options, out_grads) : tenon_backward(options);
  Py_END_ALLOW_THREADS to_inputs = outer;
  /* The pass may have freed saved values on this thread while it did not hold the GIL. */
  if (status == TENON_OK) {
    tnp_drain_pending();
    return 0;
  }
  tnp_check(status);
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  tnp_drain_pending();
  PyErr_Restore(type, value, trace);
  return -1;
}

/* (outputs, grads, inputs, flags): returns None, or the gradients of the inputs. */
static PyObject* run(PyObject* args, bool gives) {
  PyObject *outputs, *grads, *inputs;
  unsigned flags;
  if (!PyArg_ParseTuple(args, "O!O!O!I", &PyTuple_Type, &outputs, &PyTuple_Type, &grads,
                        &PyTuple_Type, &inputs, &flags)) {
    return NULL;
  }
  places out = {0}, given = {0}, in = {0};
  PyObject* result = NULL;
  tenon_tensor** found = NULL;
  if (read_places("output", outputs, false, &out) == 0 &&
      read_places("gradient of output", grads, true, &given) == 0 &&
      read_places("input", inputs, false, &in) == 0 &&
      (found = PyMem_Calloc((size_t)in.count + 1, sizeof *found)) != NULL) {
    tenon_backward_options options = {.struct_size = sizeof options, .flags = flags};
    options.outputs = out.tensors;
    options.output_nodes = out.nodes;
    options.output_numbers = out.numbers;
    options.noutputs = out.count;
    options.grads = given.tensors;
    options.inputs = in.count != 0 ? in.tensors : NULL;
    options.input_nodes = in.nodes;
    options.input_numbers = in.numbers;
    options.ninputs = in.count;
    if (pass(&options, gives ? found : NULL) == 0) {
      result = gives ? give_grads(found, in.count) : Py_NewRef(Py_None);
    }
  }
  free_places(&out);
  free_places(&given);
  free_places(&in);
  PyMem_Free(found);
  return result;
}

static int warn_of_cycle(void) {
  return PyErr_WarnEx(PyExc_UserWarning,
                      "backward: create_graph=True makes a reference cycle between a leaf and its "
                      "gradient; use autograd.grad, or set .grad to None afterwards",
                      1);
}

static PyObject* run_backward(PyObject* module, PyObject* args) {
  (void)module;
  if (refuse_in_transform("backward") != 0) return NULL;
  PyObject* flags =
      PyTuple_Check(args) && PyTuple_GET_SIZE(args) == 4 ? PyTuple_GET_ITEM(args, 3) : NULL;
  if (flags != NULL && (PyLong_AsLong(flags) & TENON_BACKWARD_CREATE_GRAPH) != 0 &&
      warn_of_cycle() != 0) {
    return NULL;
  }
  return run(args, false);
}

static PyObject* run_grad(PyObject* module, PyObject* args) {
  (void)module;
  return run(args, true);
}

/* (tensor, retain_graph, create_graph): the most frequent pass, from a loss to all leaves. */
static PyObject* run_backward_from(PyObject* module, PyObject* const* args, Py_ssize_t nargs) {
  (void)module;
  if (nargs != 3 || !TNP_IS_TENSOR(args[0])) {
    return tnp_raise_format(TENON_ERROR_TYPE,
                            "backward: arguments must be a Tensor, retain_graph and create_graph");
  }
  tenon_tensor* output = tnp_tensor_get(args[0]);
  int creates = output ? PyObject_IsTrue(args[2]) : -1;
  int keeps = creates < 0 ? -1 : args[1] == Py_None ? creates : PyObject_IsTrue(args[1]);
  if (keeps < 0 || refuse_in_transform("backward") != 0) return NULL;
  if (creates && warn_of_cycle() != 0) return NULL;
  tenon_backward_options options = {.struct_size = sizeof options};
  options.flags =
      (keeps ? TENON_BACKWARD_KEEP_GRAPH : 0u) | (creates ? TENON_BACKWARD_CREATE_GRAPH : 0u);
  options.outputs = &output;
  options.noutputs = 1;
  return pass(&options, NULL) == 0 ? Py_NewRef(Py_None) : NULL;
}

static PyObject* passes_to_inputs(PyObject* module, PyObject* unused) {
  (void)module;
  (void)unused;
  return PyBool_FromLong(to_inputs);
}

/* Returns the edge (node, output number) to which a tensor's gradient flows. */
static PyObject* gradient_edge(PyObject* module, PyObject* object) {
  (void)module;
  if (!TNP_IS_TENSOR(object)) {
    return tnp_raise_format(TENON_ERROR_TYPE, "get_gradient_edge: tensor must be Tensor, got %s",
                            Py_TYPE(object)->tp_name);
  }
  tenon_tensor* tensor = tnp_tensor_get(object);
  tenon_node* node = NULL;
  int64_t output = 0;
  if (tensor == NULL || tnp_check(tenon_tensor_copy_node(tensor, &node, &output)) != 0) return NULL;
  if (node == NULL) {
    return tnp_raise_format(TENON_ERROR_STATE,
                            "get_gradient_edge: tensor must require grad, got one that does not");
  }
  PyObject* wrapped = tnp_node_wrap(node);
  return wrapped ? Py_BuildValue("(NL)", wrapped, (long long)output) : NULL;
}

static PyMethodDef functions[] = {
    {"declare_grad_dtype", declare_grad_dtype, METH_VARARGS,
     "declare_grad_dtype(result, dtype, /)\n--\n\nSays in which dtype its formula gets gradients."},
    {"gradient_edge", gradient_edge, METH_O,
     "gradient_edge(tensor, /)\n--\n\nReturns the node that its gradient goes to, and which of the "
     "node's outputs it is."},
    {"passes_to_inputs", passes_to_inputs, METH_NOARGS,
     "passes_to_inputs()\n--\n\nTells whether the calling thread's innermost backward pass is to "
     "some inputs only."},
    {"run_backward_from", (PyCFunction)(void (*)(void))run_backward_from, METH_FASTCALL,
     "run_backward_from(output, retain_graph, create_graph, /)\n--\n\nAdds gradients of a tensor "
     "of one element to those of all leaves."},
    {"run_backward", run_backward, METH_VARARGS,
     "run_backward(outputs, grads, inputs, flags, /)\n--\n\nAdds gradients to those of leaves."},
    {"run_grad", run_grad, METH_VARARGS,
     "run_grad(outputs, grads, inputs, flags, /)\n--\n\nReturns the gradients of inputs."},
    {NULL, NULL, 0, NULL}};

int tnp_autograd_init(PyObject* module) {
  if (PyModule_AddFunctions(module, functions) != 0) return -1;
  if (tnp_node_init(module) != 0 || tnp_hook_init(module) != 0) return -1;
  if (tnp_saved_init(module) != 0) return -1;
  if (tnp_context_init(module) != 0 || tnp_function_init(module) != 0) return -1;
  if (tnp_gradient_init(module) != 0) return -1;
  return extend_tensor();
}
