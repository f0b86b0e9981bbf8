/* SPDX-License-Identifier: Apache-2.0 */
/* The Node object: one Python object per node of a backward graph, created on first access. */
#include "function_context.h"
#include "saved.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <structmember.h>

PyTypeObject* tnp_node_type;

/* ---- Classes of nodes by name ---------------------------------------------------------------- */

static void node_dealloc(PyObject* object);
static int node_traverse(PyObject* object, visitproc visit, void* arg);
static int node_clear(PyObject* object);

static PyObject* named_types; /* node name -> class, a subclass of Node; never shrinks */

static PyTypeObject* make_type(const char* name) {
  static PyType_Slot slots[] = {{Py_tp_dealloc, node_dealloc},
                                {Py_tp_traverse, node_traverse},
                                {Py_tp_clear, node_clear},
                                {0, NULL}};
  static const char kModule[] = "tenon.autograd.graph.";
  size_t size = sizeof kModule + strlen(name);
  char* full_name = malloc(size); /* never freed: Python 3.10 keeps the pointer */
  if (full_name == NULL) return (PyTypeObject*)PyErr_NoMemory();
  snprintf(full_name, size, "%s%s", kModule, name);
  PyType_Spec spec = {full_name, sizeof(tnp_node), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                      slots};
  PyObject* type = PyType_FromSpecWithBases(&spec, (PyObject*)tnp_node_type);
  if (type == NULL || PyDict_SetItemString(named_types, name, type) != 0) {
    Py_XDECREF(type);
    return NULL;
  }
  Py_DECREF(type); /* the dict keeps it */
  return (PyTypeObject*)type;
}

/* Returns the class of nodes with a name, borrowed. Programs compare its `__name__`. */
static PyTypeObject* type_named(const char* name) {
  if (named_types == NULL && (named_types = PyDict_New()) == NULL) return NULL;
  PyObject* known = PyDict_GetItemString(named_types, name);
  return known != NULL ? (PyTypeObject*)known : make_type(name);
}

/* ---- Life ------------------------------------------------------------------------------------ */

/* Called when the node whose cell owned `object` dies, on any thread and without the GIL. */
static void drop_object(void* object) {
  ((tnp_node*)object)->keeper = NULL;
  tnp_discard_object(object);
}

PyObject* tnp_node_wrap_as(PyTypeObject* type, tenon_node* node) {
  void** cell = tenon_node_cell(node, TENON_LANGUAGE_PYTHON);
  tnp_node* self = cell ? (tnp_node*)type->tp_alloc(type, 0) : (tnp_node*)PyErr_NoMemory();
  if (self == NULL) {
    tenon_node_release(node);
    return NULL;
  }
  self->node = node; /* the other fields are NULL */
  *cell = self;
  return (PyObject*)self;
}

PyObject* tnp_node_wrap(tenon_node* node) {
  if (node == NULL) Py_RETURN_NONE;
  void** cell = tenon_node_cell(node, TENON_LANGUAGE_PYTHON);
  tnp_node* self = cell ? *cell : NULL;
  if (self == NULL) {
    PyObject* waiting = cell ? tnp_context_of(node) : NULL;
    if (waiting != NULL) return waiting;
    PyTypeObject* type = type_named(tenon_node_name(node));
    if (type != NULL) return tnp_node_wrap_as(type, node);
    tenon_node_release(node);
    return NULL;
  }
  if (self->node == NULL) {
    /* The cell's reference becomes the caller's, and our node reference the object's. */
    self->node = node;
    self->keeper = NULL;
    tenon_node_own_cell(node, TENON_LANGUAGE_PYTHON, self, NULL);
    return (PyObject*)self;
  }
  Py_INCREF(self);
  tenon_node_release(node);
  return (PyObject*)self;
}

tenon_node* tnp_node_get(PyObject* object) {
  tnp_node* self = (tnp_node*)object;
  if (self->node != NULL) return self->node;
  tenon_node* node = self->keeper;
  if (node == NULL) {
    tnp_raise_format(TENON_ERROR_STATE,
                     "Node: the node behind this object must be alive, got a released one");
    return NULL;
  }
  /* A weak reference revived an object owned by its node's cell: the object owns the node again. */
  self->node = tenon_node_retain(node);
  self->keeper = NULL;
  tenon_node_own_cell(node, TENON_LANGUAGE_PYTHON, self, NULL);
  Py_DECREF(self);
  return node;
}

/* Moves an object with state to its node's cell if C still holds the node; returns true if done. */
static bool hand_over(tnp_node* self) {
  bool stateful = Py_TYPE(self)->tp_dealloc != node_dealloc || self->dict != NULL ||
                  self->metadata != NULL || self->weakrefs != NULL;
  if (!stateful || tenon_node_use_count(self->node) <= 1) return false;
  tenon_node* node = self->node;
  Py_SET_REFCNT(self, 1);
  self->node = NULL;
  self->keeper = node;
  if (tenon_node_own_cell(node, TENON_LANGUAGE_PYTHON, self, drop_object) == TENON_OK) {
    tenon_node_release(node);
    return true;
  }
  tenon_error_release(tenon_error_take());
  self->node = node;
  self->keeper = NULL;
  Py_SET_REFCNT(self, 0);
  return false;
}

static void node_dealloc(PyObject* object) {
  tnp_node* self = (tnp_node*)object;
  PyTypeObject* type = Py_TYPE(object);
  if (self->node != NULL) {
    if (hand_over(self)) return;
    /* Clear the cell first, so that code run by weak references cannot find this object again. */
    *tenon_node_cell(self->node, TENON_LANGUAGE_PYTHON) = NULL;
  }
  PyObject_GC_UnTrack(object);
  if (self->weakrefs != NULL) PyObject_ClearWeakRefs(object);
  Py_CLEAR(self->dict);
  Py_CLEAR(self->metadata);
  if (self->node != NULL) {
    bool nested = tnp_free_begin();
    tenon_node_release(self->node);
    tnp_free_end(nested);
  }
  type->tp_free(object);
  Py_DECREF(type);
}

/* Returns true if C does not hold the node. Otherwise the object's state is not garbage. */
static bool is_alone(const tnp_node* self) {
  return self->node == NULL || tenon_node_use_count(self->node) <= 1;
}

static int node_traverse(PyObject* object, visitproc visit, void* arg) {
  tnp_node* self = (tnp_node*)object;
  Py_VISIT(Py_TYPE(object));
  if (!is_alone(self)) return 0;
  Py_VISIT(self->dict);
  Py_VISIT(self->metadata);
  if (self->node == NULL) return 0;
  tnp_visitor visitor = {visit, arg};
  return tenon_node_visit_owned(self->node, TENON_LANGUAGE_PYTHON, tnp_visit_owned, &visitor);
}

static int node_clear(PyObject* object) {
  tnp_node* self = (tnp_node*)object;
  if (!is_alone(self)) return 0;
  if (self->node != NULL) {
    bool nested = tnp_free_begin();
    tenon_node_clear_owned(self->node, TENON_LANGUAGE_PYTHON);
    tnp_free_end(nested);
  }
  Py_CLEAR(self->dict);
  Py_CLEAR(self->metadata);
  return 0;
}

/* ---- Attributes ------------------------------------------------------------------------------ */

static PyObject* node_name(PyObject* self, PyObject* unused) {
  (void)unused;
  tenon_node* node = tnp_node_get(self);
  return node ? PyUnicode_FromString(tenon_node_name(node)) : NULL;
}

static PyObject* node_repr(PyObject* self) {
  tenon_node* node = tnp_node_get(self);
  return node ? PyUnicode_FromFormat("<%s object at %p>", tenon_node_name(node), node) : NULL;
}

static PyObject* node_next(PyObject* self, void* unused) {
  (void)unused;
  tenon_node* node = tnp_node_get(self);
  if (node == NULL) return NULL;
  Py_ssize_t count = (Py_ssize_t)tenon_node_edge_count(node);
  PyObject* tuple = PyTuple_New(count);
  for (Py_ssize_t i = 0; tuple != NULL && i < count; i++) {
    tenon_node* next = NULL;
    int64_t output = 0;
    PyObject* pair = NULL;
    if (tnp_check(tenon_node_copy_edge(node, i, &next, &output)) == 0) {
      PyObject* wrapped = tnp_node_wrap(next);
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
  tenon_node* node = tnp_node_get(self);
  return node ? PyLong_FromLongLong(tenon_node_sequence(node)) : NULL;
}

static PyObject* get_metadata(PyObject* object, void* unused) {
  (void)unused;
  tnp_node* self = (tnp_node*)object;
  if (self->metadata == NULL && (self->metadata = PyDict_New()) == NULL) return NULL;
  return Py_NewRef(self->metadata);
}

static PyObject* get_variable(PyObject* self, void* unused) {
  (void)unused;
  tenon_node* node = tnp_node_get(self);
  if (node == NULL) return NULL;
  tenon_tensor* tensor = tenon_node_copy_variable(node);
  if (tensor != NULL) return tnp_tensor_wrap(tensor);
  if (strcmp(tenon_node_name(node), "AccumulateGrad") == 0) Py_RETURN_NONE;
  PyErr_Format(PyExc_AttributeError, "%s has no variable, as it is not of a leaf",
               tenon_node_name(node));
  return NULL;
}

static PyMethodDef node_methods[] = {
    {"name", node_name, METH_NOARGS, "name()\n--\n\nReturns its name, such as \"MulBackward0\"."},
    {"__dir__", tnp_node_dir, METH_NOARGS, "Names of its attributes, `_saved_*` among them."},
    {"_sequence_nr", node_sequence, METH_NOARGS,
     "_sequence_nr()\n--\n\nReturns a number larger than those of the nodes it leads to."},
    {"register_hook", tnp_node_register_hook, METH_O,
     "register_hook(fn, /)\n--\n\nCalls `fn(grad_inputs, grad_outputs)` after the node ran; what "
     "it "
     "returns, unless None, takes the place of the first. Returns a handle that removes it."},
    {"register_prehook", tnp_node_register_prehook, METH_O,
     "register_prehook(fn, /)\n--\n\nCalls `fn(grad_outputs)` before the node runs; what it "
     "returns, "
     "unless None, takes their place. Returns a handle that removes it."},
    {NULL, NULL, 0, NULL}};
static PyGetSetDef node_getset[] = {
    {"next_functions", node_next, NULL, "(node or None, which of its outputs) for each input.",
     NULL},
    {"metadata", get_metadata, NULL, "A dict that lives as long as the node.", NULL},
    {"variable", get_variable, NULL, "The tensor whose gradient a leaf keeps.", NULL},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL}};
static PyMemberDef node_members[] = {
    {"__dictoffset__", T_PYSSIZET, offsetof(tnp_node, dict), READONLY, NULL},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(tnp_node, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL}};
static PyType_Slot node_slots[] = {{Py_tp_doc, "A step of a backward graph."},
                                   {Py_tp_dealloc, node_dealloc},
                                   {Py_tp_traverse, node_traverse},
                                   {Py_tp_clear, node_clear},
                                   {Py_tp_repr, node_repr},
                                   {Py_tp_getattro, tnp_node_getattr},
                                   {Py_tp_methods, node_methods},
                                   {Py_tp_getset, node_getset},
                                   {Py_tp_members, node_members},
                                   {0, NULL}};
static PyType_Spec node_spec = {"tenon.autograd.graph.Node", sizeof(tnp_node), 0,
                                Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE |
                                    Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                node_slots};

int tnp_node_init(PyObject* module) {
  return tnp_add_type(module, &tnp_node_type, &node_spec, NULL);
}
