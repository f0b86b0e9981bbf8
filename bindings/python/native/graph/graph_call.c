/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of graphs: with tensors directly, or with trees of tensors through Python code. */
#include "graph.h"

enum { FEW = 16 }; /* inputs and outputs that fit on the stack */

/* How outputs are returned. */
enum { OUT_PLAIN, OUT_ONE, OUT_TUPLE, OUT_LIST, OUT_TREE };

typedef struct {
  PyObject_HEAD PyObject* handle; /* of the graph */
  PyObject* in_spec;              /* structure of arguments; NULL or None: any number of tensors */
  PyObject* out_spec;
  tenon_graph* graph; /* borrowed from the handle */
  int is_flat;        /* true if all arguments are tensors */
  int outputs;        /* OUT_* */
} callable_graph;

static PyTypeObject* callable_type;

/* ---- Structures ------------------------------------------------------------------------------ */

/* Returns the type of a node of a structure, None for a leaf: new reference. */
static PyObject* type_of(PyObject* spec) { return PyObject_GetAttrString(spec, "type"); }

/* Returns true if all children of a node are leaves; -1 with an exception. */
static int has_leaves(PyObject* spec) {
  PyObject* children = PyObject_GetAttrString(spec, "children");
  if (children == NULL) return -1;
  int leaves = PyList_Check(children);
  for (Py_ssize_t i = 0; leaves == 1 && i < PyList_GET_SIZE(children); i++) {
    PyObject* type = type_of(PyList_GET_ITEM(children, i));
    leaves = type == NULL ? -1 : type == Py_None;
    Py_XDECREF(type);
  }
  Py_DECREF(children);
  return leaves;
}

/* Returns the OUT_* constant of a structure; -1 with an exception. */
static int shape_of(PyObject* spec) {
  if (spec == NULL || spec == Py_None) return OUT_PLAIN;
  PyObject* type = type_of(spec);
  if (type == NULL) return -1;
  const int shape = type == Py_None                    ? OUT_ONE
                    : type == (PyObject*)&PyTuple_Type ? OUT_TUPLE
                    : type == (PyObject*)&PyList_Type  ? OUT_LIST
                                                       : OUT_TREE;
  Py_DECREF(type);
  if (shape == OUT_ONE || shape == OUT_TREE) return shape;
  const int leaves = has_leaves(spec);
  return leaves == 1 ? shape : leaves == 0 ? OUT_TREE : -1;
}

/* ---- Calls ----------------------------------------------------------------------------------- */

static PyObject* outputs_object(const callable_graph* self, tenon_value* rets, Py_ssize_t count) {
  if (self->outputs == OUT_ONE || (self->outputs == OUT_PLAIN && count == 1)) {
    return tnp_from_value(&rets[0], true);
  }
  PyObject* made = self->outputs == OUT_LIST ? PyList_New(count) : PyTuple_New(count);
  for (Py_ssize_t i = 0; made != NULL && i < count; i++) {
    PyObject* output = tnp_from_value(&rets[i], true);
    if (output == NULL) {
      Py_CLEAR(made);
    } else if (self->outputs == OUT_LIST) {
      PyList_SET_ITEM(made, i, output);
    } else {
      PyTuple_SET_ITEM(made, i, output);
    }
  }
  return made;
}

static PyObject* run_in(const callable_graph* self, PyObject* args, tenon_value* values) {
  const Py_ssize_t nargs = PyTuple_GET_SIZE(args);
  const Py_ssize_t nrets = (Py_ssize_t)tenon_graph_output_count(self->graph);
  for (Py_ssize_t i = 0; i < nargs; i++) {
    tenon_tensor* tensor = tnp_tensor_get(PyTuple_GET_ITEM(args, i));
    if (tensor == NULL) return NULL;
    values[i] = tenon_value_of_tensor(tensor);
  }
  memset(values + nargs, 0, (size_t)nrets * sizeof *values);
  tenon_stack stack = {
      .args = values, .rets = values + nargs, .nargs = (uint32_t)nargs, .nrets = (uint32_t)nrets};
  tenon_status status;
  Py_BEGIN_ALLOW_THREADS;
  status = tenon_graph_run(self->graph, &stack);
  Py_END_ALLOW_THREADS;
  if (tnp_check(status) != 0) return NULL;
  PyObject* outputs = outputs_object(self, stack.rets, nrets);
  tenon_value_clear_n(stack.rets, nrets);
  return outputs;
}

static PyObject* run_tensors(const callable_graph* self, PyObject* args) {
  tenon_value few[FEW];
  const int64_t count = PyTuple_GET_SIZE(args) + tenon_graph_output_count(self->graph);
  if (count <= FEW) return run_in(self, args, few);
  tenon_value* values = PyMem_Malloc((size_t)count * sizeof *values);
  if (values == NULL) return PyErr_NoMemory();
  PyObject* outputs = run_in(self, args, values);
  PyMem_Free(values);
  return outputs;
}

/* Returns true if the arguments equal their flattened form, so that `_call_tree` is not needed. */
static bool is_flat(const callable_graph* self, PyObject* args) {
  if (!self->is_flat || self->graph == NULL || self->outputs == OUT_TREE) return false;
  const Py_ssize_t count = PyTuple_GET_SIZE(args);
  if (count != (Py_ssize_t)tenon_graph_input_count(self->graph)) return false;
  for (Py_ssize_t i = 0; i < count; i++) {
    if (!TNP_IS_TENSOR(PyTuple_GET_ITEM(args, i))) return false;
  }
  return true;
}

static PyObject* call(PyObject* object, PyObject* args, PyObject* kwargs) {
  const callable_graph* self = (callable_graph*)object;
  const bool is_named = kwargs != NULL && PyDict_GET_SIZE(kwargs) != 0;
  if (!is_named && is_flat(self, args)) return run_tensors(self, args);
  PyObject* method = PyObject_GetAttrString(object, "_call_tree");
  if (method == NULL) return NULL;
  PyObject* result = PyObject_Call(method, args, kwargs);
  Py_DECREF(method);
  return result;
}

/* ---- The type -------------------------------------------------------------------------------- */

static PyObject* or_none(PyObject* held) { return Py_NewRef(held != NULL ? held : Py_None); }

static PyObject* get_handle(PyObject* object, void* unused) {
  (void)unused;
  return or_none(((callable_graph*)object)->handle);
}

static int set_handle(PyObject* object, PyObject* value, void* unused) {
  (void)unused;
  callable_graph* self = (callable_graph*)object;
  tenon_graph* graph = value != NULL ? tnp_handle_get(value, TNP_HANDLE_GRAPH) : NULL;
  if (value != NULL && graph == NULL) return -1;
  self->graph = graph;
  Py_XSETREF(self->handle, Py_XNewRef(value));
  return 0;
}

static PyObject* get_in_spec(PyObject* object, void* unused) {
  (void)unused;
  return or_none(((callable_graph*)object)->in_spec);
}

static int set_in_spec(PyObject* object, PyObject* value, void* unused) {
  (void)unused;
  callable_graph* self = (callable_graph*)object;
  const int shape = shape_of(value);
  if (shape < 0) return -1;
  self->is_flat = shape == OUT_PLAIN || shape == OUT_TUPLE;
  Py_XSETREF(self->in_spec, Py_XNewRef(value));
  return 0;
}

static PyObject* get_out_spec(PyObject* object, void* unused) {
  (void)unused;
  return or_none(((callable_graph*)object)->out_spec);
}

static int set_out_spec(PyObject* object, PyObject* value, void* unused) {
  (void)unused;
  callable_graph* self = (callable_graph*)object;
  const int shape = shape_of(value);
  if (shape < 0) return -1;
  self->outputs = shape;
  Py_XSETREF(self->out_spec, Py_XNewRef(value));
  return 0;
}

static PyObject* callable_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  (void)args, (void)kwargs;
  callable_graph* self = (callable_graph*)type->tp_alloc(type, 0);
  if (self != NULL) self->is_flat = 1;
  return (PyObject*)self;
}

static void callable_dealloc(PyObject* object) {
  callable_graph* self = (callable_graph*)object;
  PyTypeObject* type = Py_TYPE(object);
  Py_CLEAR(self->in_spec);
  Py_CLEAR(self->out_spec);
  Py_CLEAR(self->handle);
  type->tp_free(object);
  Py_DECREF(type);
}

static PyGetSetDef callable_getset[] = {{"_handle", get_handle, set_handle, NULL, NULL},
                                        {"_in_spec", get_in_spec, set_in_spec, NULL, NULL},
                                        {"_out_spec", get_out_spec, set_out_spec, NULL, NULL},
                                        {NULL, NULL, NULL, NULL, NULL}};
static PyType_Slot callable_slots[] = {
    {Py_tp_doc, "What is called as a graph; its subclass has `_call_tree`, for trees of tensors."},
    {Py_tp_new, callable_new},
    {Py_tp_dealloc, callable_dealloc},
    {Py_tp_call, call},
    {Py_tp_getset, callable_getset},
    {0, NULL}};
static PyType_Spec callable_spec = {"tenon._tenon.CallableGraph", sizeof(callable_graph), 0,
                                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, callable_slots};

int tnp_graph_call_init(PyObject* module) {
  return tnp_add_type(module, &callable_type, &callable_spec, NULL);
}
