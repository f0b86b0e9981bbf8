/* SPDX-License-Identifier: Apache-2.0 */
/* Autograd: what tensors say of gradients, nodes of the backward graph, and backward passes. */
#include "native.h"

#include <stddef.h>
#include <structmember.h>

/* ---- Nodes ----------------------------------------------------------------------------------- */

typedef struct {
  PyObject_HEAD tenon_node* node; /* a reference */
  PyObject* weakrefs;
} node_object;

static PyTypeObject* node_type;
static PyObject* nodes; /* address -> weak reference to the one object of a node */

/* Takes over the reference. */
static PyObject* wrap_node(tenon_node* node) {
  if (node == NULL) Py_RETURN_NONE;
  PyObject* address = PyLong_FromVoidPtr(node);
  PyObject* known = address ? PyDict_GetItemWithError(nodes, address) : NULL;
  if (known != NULL && PyWeakref_GetObject(known) != Py_None) {
    tenon_node_release(node);
    Py_DECREF(address);
    return Py_NewRef(PyWeakref_GetObject(known));
  }
  node_object* self = address && !PyErr_Occurred() ? PyObject_New(node_object, node_type) : NULL;
  if (self == NULL) {
    tenon_node_release(node);
    Py_XDECREF(address);
    return NULL;
  }
  self->node = node;
  self->weakrefs = NULL;
  PyObject* weak = PyWeakref_NewRef((PyObject*)self, NULL);
  if (weak == NULL || PyDict_SetItem(nodes, address, weak) != 0) Py_CLEAR(self);
  Py_XDECREF(weak);
  Py_DECREF(address);
  return (PyObject*)self;
}

static void node_dealloc(PyObject* object) {
  node_object* self = (node_object*)object;
  PyTypeObject* type = Py_TYPE(object);
  if (self->weakrefs != NULL) PyObject_ClearWeakRefs(object);
  PyObject *kind, *value, *trace;
  PyErr_Fetch(&kind, &value, &trace);
  PyObject* address = PyLong_FromVoidPtr(self->node);
  if (address == NULL || PyDict_DelItem(nodes, address) != 0) PyErr_Clear();
  Py_XDECREF(address);
  PyErr_Restore(kind, value, trace);
  bool nested = tnp_free_begin();
  tenon_node_release(self->node);
  tnp_free_end(nested);
  type->tp_free(object);
  Py_DECREF(type);
}

static PyObject* node_name(PyObject* self, PyObject* unused) {
  (void)unused;
  return PyUnicode_FromString(tenon_node_name(((node_object*)self)->node));
}

static PyObject* node_repr(PyObject* self) {
  return PyUnicode_FromFormat("<%s object at %p>", tenon_node_name(((node_object*)self)->node),
                              ((node_object*)self)->node);
}

static PyObject* node_next(PyObject* self, void* unused) {
  (void)unused;
  tenon_node* node = ((node_object*)self)->node;
  Py_ssize_t count = (Py_ssize_t)tenon_node_edge_count(node);
  PyObject* tuple = PyTuple_New(count);
  for (Py_ssize_t i = 0; tuple != NULL && i < count; i++) {
    tenon_node* next = NULL;
    int64_t output = 0;
    PyObject* pair = NULL;
    if (tnp_check(tenon_node_copy_edge(node, i, &next, &output)) == 0) {
      PyObject* wrapped = wrap_node(next);
      if (wrapped != NULL) pair = Py_BuildValue("(NL)", wrapped, (long long)output);
    }
    if (pair == NULL)
      Py_CLEAR(tuple);
    else
      PyTuple_SET_ITEM(tuple, i, pair);
  }
  return tuple;
}

static PyObject* node_sequence(PyObject* self, PyObject* unused) {
  (void)unused;
  return PyLong_FromLongLong(tenon_node_sequence(((node_object*)self)->node));
}

static PyMethodDef node_methods[] = {
    {"name", node_name, METH_NOARGS, "name()\n--\n\nReturns its name, such as \"MulBackward0\"."},
    {"_sequence_nr", node_sequence, METH_NOARGS,
     "_sequence_nr()\n--\n\nReturns a number larger than those of the nodes it leads to."},
    {NULL, NULL, 0, NULL}};
static PyGetSetDef node_getset[] = {{"next_functions", node_next, NULL,
                                     "(node or None, which of its outputs) for each input.", NULL},
                                    {NULL, NULL, NULL, NULL, NULL}};
static PyMemberDef node_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(node_object, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL}};
static PyType_Slot node_slots[] = {{Py_tp_doc, "A step of a backward graph."},
                                   {Py_tp_dealloc, node_dealloc},
                                   {Py_tp_repr, node_repr},
                                   {Py_tp_methods, node_methods},
                                   {Py_tp_getset, node_getset},
                                   {Py_tp_members, node_members},
                                   {0, NULL}};
static PyType_Spec node_spec = {"tenon.autograd.graph.Node", sizeof(node_object), 0,
                                Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, node_slots};

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

static PyObject* requires_grad_(PyObject* self, PyObject* args, PyObject* kwargs) {
  static char* names[] = {"requires_grad", NULL};
  PyObject* value = Py_True;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O:requires_grad_", names, &value)) return NULL;
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
  if (!tenon_tensor_is_leaf(tensor) &&
      PyErr_WarnEx(PyExc_UserWarning,
                   "the .grad of a tensor that is not a leaf is read; backward() leaves gradients "
                   "with leaves only",
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

/* A leaf has no grad_fn, though gradients have a node to go to. */
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
  return wrap_node(node);
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
    {"requires_grad", get_requires_grad, set_requires_grad, "Whether gradients flow to it.", NULL},
    {"is_leaf", get_is_leaf, NULL, "Whether no recorded call has made it.", NULL},
    {"grad", get_grad, set_grad, "What backward passes have left with a leaf.", NULL},
    {"grad_fn", get_grad_fn, NULL, "The node of the call that has made it.", NULL},
    {"_base", get_base, NULL, "The tensor that it is a view of.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};
static PyMethodDef requires_grad_method = {
    "requires_grad_", (PyCFunction)(void (*)(void))requires_grad_, METH_VARARGS | METH_KEYWORDS,
    "requires_grad_(requires_grad=True)\n--\n\nMakes a leaf ask for gradients; returns it."};

static int extend_tensor(void) {
  PyObject* dict = tnp_tensor_type->tp_dict;
  for (PyGetSetDef* each = tensor_getset; each->name != NULL; each++) {
    PyObject* descriptor = PyDescr_NewGetSet(tnp_tensor_type, each);
    int status = descriptor ? PyDict_SetItemString(dict, each->name, descriptor) : -1;
    Py_XDECREF(descriptor);
    if (status != 0) return -1;
  }
  PyObject* method = PyDescr_NewMethod(tnp_tensor_type, &requires_grad_method);
  int status = method ? PyDict_SetItemString(dict, requires_grad_method.ml_name, method) : -1;
  Py_XDECREF(method);
  PyType_Modified(tnp_tensor_type);
  return status;
}

/* ---- Backward passes ------------------------------------------------------------------------- */

typedef struct {
  tenon_tensor** tensors;
  Py_ssize_t count;
} tensor_array;

/* Tensors of a tuple, borrowed; None is NULL where it may be. */
static int read_tensors(const char* what, PyObject* tuple, bool optional, tensor_array* out) {
  out->count = PyTuple_GET_SIZE(tuple);
  out->tensors = PyMem_Calloc((size_t)out->count + 1, sizeof *out->tensors);
  if (out->tensors == NULL) return PyErr_NoMemory(), -1;
  for (Py_ssize_t i = 0; i < out->count; i++) {
    PyObject* each = PyTuple_GET_ITEM(tuple, i);
    if (optional && each == Py_None) continue;
    if (!TNP_IS_TENSOR(each)) {
      tnp_raise_format(TENON_ERROR_TYPE, "%s %zd must be Tensor, got %s", what, i,
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

/* (outputs, grads, inputs, flags) -> None, or the gradients of inputs. */
static PyObject* run(PyObject* args, bool gives) {
  PyObject *outputs, *grads, *inputs;
  unsigned flags;
  if (!PyArg_ParseTuple(args, "O!O!O!I", &PyTuple_Type, &outputs, &PyTuple_Type, &grads,
                        &PyTuple_Type, &inputs, &flags)) {
    return NULL;
  }
  tensor_array out = {0}, given = {0}, in = {0};
  PyObject* result = NULL;
  tenon_tensor** found = NULL;
  if (read_tensors("output", outputs, false, &out) == 0 &&
      read_tensors("gradient of output", grads, true, &given) == 0 &&
      read_tensors("input", inputs, false, &in) == 0 &&
      (found = PyMem_Calloc((size_t)in.count + 1, sizeof *found)) != NULL) {
    tenon_backward_options options = {.struct_size = sizeof options, .flags = flags};
    options.outputs = out.tensors;
    options.noutputs = out.count;
    options.grads = given.tensors;
    options.inputs = in.count != 0 ? in.tensors : NULL;
    options.ninputs = in.count;
    tenon_status status;
    Py_BEGIN_ALLOW_THREADS status = gives ? tenon_grad(&options, found) : tenon_backward(&options);
    Py_END_ALLOW_THREADS if (tnp_check(status) == 0) {
      result = gives ? give_grads(found, in.count) : Py_NewRef(Py_None);
    }
  }
  PyMem_Free(out.tensors);
  PyMem_Free(given.tensors);
  PyMem_Free(in.tensors);
  PyMem_Free(found);
  return result;
}

static PyObject* run_backward(PyObject* module, PyObject* args) {
  (void)module;
  return run(args, false);
}

static PyObject* run_grad(PyObject* module, PyObject* args) {
  (void)module;
  return run(args, true);
}

static PyMethodDef functions[] = {
    {"run_backward", run_backward, METH_VARARGS,
     "run_backward(outputs, grads, inputs, flags, /)\n--\n\nAdds gradients to those of leaves."},
    {"run_grad", run_grad, METH_VARARGS,
     "run_grad(outputs, grads, inputs, flags, /)\n--\n\nReturns the gradients of inputs."},
    {NULL, NULL, 0, NULL}};

int tnp_autograd_init(PyObject* module) {
  if ((nodes = PyDict_New()) == NULL || PyModule_AddFunctions(module, functions) != 0) return -1;
  if (extend_tensor() != 0) return -1;
  return tnp_add_type(module, &node_type, &node_spec, NULL);
}
