/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs: conversion of values, nodes and tensors, which the flat layer does not provide. */
#include "graph.h"

#include <structmember.h>

/* ---- References to values -------------------------------------------------------------------- */

static PyTypeObject* ref_type;

typedef struct {
  PyObject_HEAD long long value;
} ref;

PyObject* tnp_ref_object(int64_t value) {
  ref* self = PyObject_New(ref, ref_type);
  if (self != NULL) self->value = value;
  return (PyObject*)self;
}

bool tnp_ref_get(PyObject* object, int64_t* out_value) {
  if (Py_TYPE(object) != ref_type) return false;
  *out_value = ((ref*)object)->value;
  return true;
}

static PyObject* ref_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  (void)type;
  (void)kwargs;
  long long value;
  if (!PyArg_ParseTuple(args, "L:Ref", &value)) return NULL;
  return tnp_ref_object(value);
}

static void ref_dealloc(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  PyObject_Free(object);
  Py_DECREF(type);
}

static PyObject* ref_repr(PyObject* object) {
  return PyUnicode_FromFormat("%%%lld", ((ref*)object)->value);
}

static PyObject* ref_compare(PyObject* a, PyObject* b, int op) {
  if (Py_TYPE(a) != ref_type || Py_TYPE(b) != ref_type || (op != Py_EQ && op != Py_NE)) {
    Py_RETURN_NOTIMPLEMENTED;
  }
  return PyBool_FromLong((((ref*)a)->value == ((ref*)b)->value) == (op == Py_EQ));
}

static Py_hash_t ref_hash(PyObject* object) { return (Py_hash_t)((ref*)object)->value; }

static PyMemberDef ref_members[] = {
    {"value", T_LONGLONG, offsetof(ref, value), READONLY, "Number of the value in its graph."},
    {NULL, 0, 0, 0, NULL}};
static PyType_Slot ref_slots[] = {
    {Py_tp_doc, "Names a value of a graph, as an argument or output."},
    {Py_tp_new, ref_new},
    {Py_tp_dealloc, ref_dealloc},
    {Py_tp_repr, ref_repr},
    {Py_tp_richcompare, ref_compare},
    {Py_tp_hash, ref_hash},
    {Py_tp_members, ref_members},
    {0, NULL}};
static PyType_Spec ref_spec = {"tenon._tenon.Ref", sizeof(ref), 0, Py_TPFLAGS_DEFAULT, ref_slots};

/* ---- Values in ------------------------------------------------------------------------------- */

/* Returns true if a value is a reference, or a list, tuple or dict that contains one. */
static bool holds_reference(PyObject* object) {
  if (Py_TYPE(object) == ref_type) return true;
  if (PyDict_Check(object)) {
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(object, &at, &key, &value)) {
      if (holds_reference(value)) return true;
    }
    return false;
  }
  if (!PyList_Check(object) && !PyTuple_Check(object)) return false;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); i++) {
    if (holds_reference(PySequence_Fast_GET_ITEM(object, i))) return true;
  }
  return false;
}

static const tnp_type any_type = {.conv = TNP_CONV_ANY, .optional = 1, .list_size = -1};

static int to_graph_value(tnp_call* call, const tnp_type* type, PyObject* object, tenon_value* out);

static void free_values(void* values) { PyMem_Free(values); }

/* Converts a list or tuple that contains references at any depth. */
static int to_graph_list(tnp_call* call, PyObject* object, tenon_value* out) {
  Py_ssize_t count = PySequence_Fast_GET_SIZE(object);
  tenon_value* elements = PyMem_Calloc((size_t)count, sizeof *elements);
  if (elements == NULL) {
    PyErr_NoMemory();
    return -1;
  }
  if (tnp_own(call, elements, free_values) != 0) return -1;
  for (Py_ssize_t i = 0; i < count; i++) {
    PyObject* element = PySequence_Fast_GET_ITEM(object, i);
    int result = to_graph_value(call, &any_type, element, &elements[i]);
    if (result != 0) return result;
  }
  uint16_t tag = PyTuple_Check(object) ? TENON_TAG_TUPLE : TENON_TAG_LIST;
  *out = tenon_value_of_elements(tag, elements, (uint32_t)count);
  return 0;
}

/* Like tnp_to_value, but accepts a reference for any type. */
static int to_graph_value(tnp_call* call, const tnp_type* type, PyObject* object,
                          tenon_value* out) {
  if (!holds_reference(object)) return tnp_to_value(call, type, object, out);
  if (Py_TYPE(object) == ref_type) {
    *out = tenon_value_of_number(TENON_TAG_REF, ((ref*)object)->value);
    return 0;
  }
  if (PyDict_Check(object)) return 1;
  int result = to_graph_list(call, object, out);
  if (result == 0 && type->conv != TNP_CONV_ANY && type->conv != TNP_CONV_TUPLE) {
    out->tag = TENON_TAG_LIST;
  }
  return result;
}

int tnp_to_graph_value(tnp_call* call, PyObject* object, tenon_value* out) {
  return to_graph_value(call, &any_type, object, out);
}

static PyObject* refuse(const char* function, const char* argument, PyObject* object) {
  char kind[96];
  tnp_describe(object, kind, sizeof kind);
  return tnp_raise_format(TENON_ERROR_TYPE, "%s: %s must be a value that a graph holds, got %s",
                          function, argument, kind);
}

tenon_graph* tnp_graph_get(PyObject* object) { return tnp_handle_get(object, TNP_HANDLE_GRAPH); }

static tenon_graph* graph_get(PyObject* object) { return tnp_graph_get(object); }

/* ---- Building -------------------------------------------------------------------------------- */

static PyObject* add_input(PyObject* module, PyObject* args) {
  (void)module;
  PyObject *handle, *tensor;
  const char* name;
  if (!PyArg_ParseTuple(args, "OOz:graph_add_input", &handle, &tensor, &name)) return NULL;
  tenon_graph* graph = graph_get(handle);
  if (graph == NULL) return NULL;
  tenon_tensor* given = NULL;
  if (tensor != Py_None) {
    if (!TNP_IS_TENSOR(tensor)) return refuse("graph_add_input", "tensor", tensor);
    given = tnp_tensor_get(tensor);
    if (given == NULL) return NULL;
  }
  int64_t value;
  if (tnp_check(tenon_graph_add_input(graph, given, name, &value)) != 0) return NULL;
  return tnp_ref_object(value);
}

static PyObject* add_output(PyObject* module, PyObject* args) {
  (void)module;
  PyObject *handle, *object;
  if (!PyArg_ParseTuple(args, "OO:graph_add_output", &handle, &object)) return NULL;
  tenon_graph* graph = graph_get(handle);
  if (graph == NULL) return NULL;
  tnp_call call;
  tnp_call_begin(&call, false);
  tenon_value value;
  int result = to_graph_value(&call, &any_type, object, &value);
  if (result == 0) result = tnp_check(tenon_graph_add_output(graph, &value));
  tnp_call_end(&call);
  if (result == 1) return refuse("graph_add_output", "value", object);
  if (result != 0) return NULL;
  Py_RETURN_NONE;
}

/* (graph, op, args in schema order): returns the number of the first result. */
static PyObject* append(PyObject* module, PyObject* args) {
  (void)module;
  PyObject *handle, *op, *given;
  if (!PyArg_ParseTuple(args, "OO!O!:graph_append", &handle, tnp_op_type, &op, &PyTuple_Type,
                        &given)) {
    return NULL;
  }
  tenon_graph* graph = graph_get(handle);
  if (graph == NULL || tnp_op_ready((tnp_op*)op) != 0) return NULL;
  const tnp_binding* binding = ((tnp_op*)op)->binding;
  Py_ssize_t count = PyTuple_GET_SIZE(given);
  if (binding == NULL || (Py_ssize_t)binding->nargs != count) {
    return tnp_raise_format(TENON_ERROR_INVALID_ARGUMENT,
                            "graph_append: %S must get all of its arguments, got %zd",
                            ((tnp_op*)op)->name, count);
  }
  tenon_value* values = PyMem_Calloc((size_t)count + 1, sizeof *values);
  if (values == NULL) return PyErr_NoMemory();
  tnp_call call;
  tnp_call_begin(&call, false);
  int result = 0;
  Py_ssize_t i = 0;
  for (; result == 0 && i < count; i++) {
    PyObject* object = PyTuple_GET_ITEM(given, i);
    const tnp_type* type = &binding->args[i].type;
    /* A number passed for a Tensor argument stays a number. */
    bool number = type->conv == TNP_CONV_TENSOR && !TNP_IS_TENSOR(object);
    result = to_graph_value(&call, number ? &any_type : type, object, &values[i]);
  }
  int64_t first = -1;
  if (result == 0) {
    result = tnp_check(tenon_graph_append(graph, ((tnp_op*)op)->op, values, count, &first));
  }
  tnp_call_end(&call);
  PyMem_Free(values);
  if (result == 1) return refuse("graph_append", "an argument", PyTuple_GET_ITEM(given, i - 1));
  return result == 0 ? PyLong_FromLongLong(first) : NULL;
}

/* ---- Reading --------------------------------------------------------------------------------- */

PyObject* tnp_graph_arguments(const tenon_value* args, uint32_t nargs) {
  PyObject* values = PyTuple_New(nargs);
  for (uint32_t i = 0; values != NULL && i < nargs; i++) {
    tenon_value borrowed = args[i];
    PyObject* value = tnp_from_value(&borrowed, false);
    if (value == NULL)
      Py_CLEAR(values);
    else
      PyTuple_SET_ITEM(values, i, value);
  }
  return values;
}

/* Returns (op, arguments, number of the first result, number of results). */
static PyObject* get_node(PyObject* module, PyObject* args) {
  (void)module;
  PyObject* handle;
  long long index;
  if (!PyArg_ParseTuple(args, "OL:graph_node", &handle, &index)) return NULL;
  tenon_graph* graph = graph_get(handle);
  tenon_graph_node node = {.struct_size = sizeof node};
  if (graph == NULL || tnp_check(tenon_graph_get_node(graph, index, &node)) != 0) return NULL;
  PyObject* values = tnp_graph_arguments(node.args, node.nargs);
  if (values == NULL) return NULL;
  return Py_BuildValue("(NNLL)", tnp_op_object(node.op), values, (long long)node.first_result,
                       (long long)node.nresults);
}

static PyObject* size_object(const tenon_graph_value* value, int32_t dim) {
  if (value->dims == NULL) return PyLong_FromLongLong(value->sizes[dim]);
  const tenon_value* size = &value->dims[dim];
  return size->tag == TENON_TAG_REF ? tnp_ref_object(size->as.i) : PyLong_FromLongLong(size->as.i);
}

static PyObject* sizes_object(const tenon_graph_value* value) {
  if (value->sizes == NULL && value->dims == NULL) Py_RETURN_NONE;
  PyObject* sizes = PyTuple_New(value->ndim);
  for (int32_t i = 0; sizes != NULL && i < value->ndim; i++) {
    PyObject* size = size_object(value, i);
    if (size == NULL)
      Py_CLEAR(sizes);
    else
      PyTuple_SET_ITEM(sizes, i, size);
  }
  return sizes;
}

/* Returns (kind, source, index, name or None, tensor or None, sizes or None, dtype or None, device
 * or None). */
static PyObject* get_value(PyObject* module, PyObject* args) {
  (void)module;
  PyObject* handle;
  long long index;
  if (!PyArg_ParseTuple(args, "OL:graph_value", &handle, &index)) return NULL;
  tenon_graph* graph = graph_get(handle);
  tenon_graph_value value = {.struct_size = sizeof value};
  if (graph == NULL || tnp_check(tenon_graph_get_value(graph, index, &value)) != 0) return NULL;
  bool known = value.dtype != TENON_DTYPE_NONE;
  PyObject* tensor = value.tensor != NULL ? tnp_tensor_wrap(tenon_tensor_retain(value.tensor))
                                          : Py_NewRef(Py_None);
  return Py_BuildValue("(ILLzNNNN)", value.kind, (long long)value.source, (long long)value.index,
                       value.name, tensor, sizes_object(&value),
                       known ? tnp_dtype_object(value.dtype) : Py_NewRef(Py_None),
                       known ? tnp_device_object(value.device) : Py_NewRef(Py_None));
}

static PyObject* get_output(PyObject* module, PyObject* args) {
  (void)module;
  PyObject* handle;
  long long index;
  if (!PyArg_ParseTuple(args, "OL:graph_output", &handle, &index)) return NULL;
  tenon_graph* graph = graph_get(handle);
  if (graph == NULL) return NULL;
  const tenon_value* output = tenon_graph_peek_output(graph, index);
  if (output == NULL) {
    return tnp_raise_format(TENON_ERROR_INDEX, "graph_output: index must be below %lld, got %lld",
                            (long long)tenon_graph_output_count(graph), index);
  }
  tenon_value borrowed = *output;
  return tnp_from_value(&borrowed, false);
}

/* ---- Running --------------------------------------------------------------------------------- */

/* Returns the handles of a tuple of Tensors, in memory that the caller frees; NULL with an
 * exception. */
static tenon_tensor** read_tensors(const char* function, PyObject* tensors) {
  Py_ssize_t count = PyTuple_GET_SIZE(tensors);
  tenon_tensor** handles = PyMem_Calloc((size_t)count + 1, sizeof(*handles));
  if (handles == NULL) {
    PyErr_NoMemory();
    return NULL;
  }
  for (Py_ssize_t i = 0; i < count; i++) {
    PyObject* object = PyTuple_GET_ITEM(tensors, i);
    if (!TNP_IS_TENSOR(object)) {
      refuse(function, "each tensor", object);
    } else {
      handles[i] = tnp_tensor_get(object);
    }
    if (handles[i] == NULL) {
      PyMem_Free(handles);
      return NULL;
    }
  }
  return handles;
}

static PyObject* results_list(tenon_value* rets, Py_ssize_t count) {
  PyObject* results = PyList_New(count);
  for (Py_ssize_t i = 0; i < count; i++) {
    PyObject* result = results != NULL ? tnp_from_value(&rets[i], true) : NULL;
    tenon_value_clear(&rets[i]);
    if (result == NULL)
      Py_CLEAR(results);
    else
      PyList_SET_ITEM(results, i, result);
  }
  return results;
}

/* (graph, tensors): returns None, or the reason why no plan can be bound. */
static PyObject* bind(PyObject* module, PyObject* args) {
  (void)module;
  PyObject *handle, *tensors;
  if (!PyArg_ParseTuple(args, "OO!:graph_bind", &handle, &PyTuple_Type, &tensors)) return NULL;
  tenon_graph* graph = graph_get(handle);
  tenon_tensor** handles = graph != NULL ? read_tensors("graph_bind", tensors) : NULL;
  if (handles == NULL) return NULL;
  Py_ssize_t count = PyTuple_GET_SIZE(tensors);
  tenon_value* values = PyMem_Calloc((size_t)count + 1, sizeof *values);
  tenon_buffer* reason = NULL;
  int failed = -1;
  if (values == NULL) {
    PyErr_NoMemory();
  } else {
    for (Py_ssize_t i = 0; i < count; i++) values[i] = tenon_value_of_tensor(handles[i]);
    tenon_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = tenon_graph_bind(graph, values, count, &reason);
    Py_END_ALLOW_THREADS;
    failed = tnp_check(status);
  }
  PyMem_Free(values);
  PyMem_Free(handles);
  if (failed != 0) return NULL;
  if (reason == NULL) Py_RETURN_NONE;
  return tnp_text(reason);
}

/* (graph, tensors): returns the list of outputs. */
static PyObject* run(PyObject* module, PyObject* args) {
  (void)module;
  PyObject *handle, *tensors;
  if (!PyArg_ParseTuple(args, "OO!:graph_run", &handle, &PyTuple_Type, &tensors)) return NULL;
  tenon_graph* graph = graph_get(handle);
  tenon_tensor** handles = graph != NULL ? read_tensors("graph_run", tensors) : NULL;
  if (handles == NULL) return NULL;
  Py_ssize_t nargs = PyTuple_GET_SIZE(tensors);
  Py_ssize_t nrets = (Py_ssize_t)tenon_graph_output_count(graph);
  tenon_value* values = PyMem_Calloc((size_t)(nargs + nrets) + 1, sizeof *values);
  PyObject* results = NULL;
  if (values == NULL) {
    PyErr_NoMemory();
  } else {
    for (Py_ssize_t i = 0; i < nargs; i++) values[i] = tenon_value_of_tensor(handles[i]);
    tenon_stack stack = {
        .args = values, .rets = values + nargs, .nargs = (uint32_t)nargs, .nrets = (uint32_t)nrets};
    tenon_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = tenon_graph_run(graph, &stack);
    Py_END_ALLOW_THREADS;
    if (tnp_check(status) == 0) results = results_list(stack.rets, nrets);
  }
  PyMem_Free(values);
  PyMem_Free(handles);
  return results;
}

static PyObject* define(PyObject* module, PyObject* args) {
  (void)module;
  PyObject *handle, *library;
  const char* name;
  if (!PyArg_ParseTuple(args, "OO!s:graph_define", &handle, tnp_library_type, &library, &name)) {
    return NULL;
  }
  tenon_graph* graph = graph_get(handle);
  if (graph == NULL) return NULL;
  const tenon_op* op;
  tenon_status status;
  tenon_library* opened = ((tnp_library*)library)->library;
  Py_BEGIN_ALLOW_THREADS;
  status = tenon_graph_define(graph, opened, name, &op);
  Py_END_ALLOW_THREADS;
  return tnp_check(status) == 0 ? tnp_op_object(op) : NULL;
}

/* ---- Texts and bytes ------------------------------------------------------------------------- */

/* (text, attributes): returns the graph. */
static PyObject* parse(PyObject* module, PyObject* args) {
  (void)module;
  const char* text;
  Py_ssize_t size;
  PyObject* attributes;
  if (!PyArg_ParseTuple(args, "s#O!:graph_parse", &text, &size, &PyTuple_Type, &attributes)) {
    return NULL;
  }
  tenon_tensor** handles = read_tensors("graph_parse", attributes);
  if (handles == NULL) return NULL;
  tenon_graph* graph = NULL;
  int result = tnp_check(
      tenon_graph_parse(text, size, handles, (int64_t)PyTuple_GET_SIZE(attributes), &graph));
  PyMem_Free(handles);
  return result == 0 ? tnp_handle_new(TNP_HANDLE_GRAPH, graph) : NULL;
}

static PyObject* write_bytes(PyObject* module, PyObject* handle) {
  (void)module;
  tenon_graph* graph = graph_get(handle);
  tenon_buffer* buffer = NULL;
  if (graph == NULL || tnp_check(tenon_graph_write(graph, &buffer)) != 0) return NULL;
  PyObject* bytes =
      PyBytes_FromStringAndSize(tenon_buffer_data(buffer), (Py_ssize_t)tenon_buffer_size(buffer));
  tenon_buffer_release(buffer);
  return bytes;
}

static PyObject* read_bytes(PyObject* module, PyObject* object) {
  (void)module;
  Py_buffer bytes;
  if (PyObject_GetBuffer(object, &bytes, PyBUF_SIMPLE) != 0) return NULL;
  tenon_graph* graph = NULL;
  tenon_status status;
  Py_BEGIN_ALLOW_THREADS;
  status = tenon_graph_read(bytes.buf, bytes.len, &graph);
  Py_END_ALLOW_THREADS;
  PyBuffer_Release(&bytes);
  return tnp_check(status) == 0 ? tnp_handle_new(TNP_HANDLE_GRAPH, graph) : NULL;
}

static PyMethodDef functions[] = {{"graph_add_input", add_input, METH_VARARGS, NULL},
                                  {"graph_add_output", add_output, METH_VARARGS, NULL},
                                  {"graph_append", append, METH_VARARGS, NULL},
                                  {"graph_node", get_node, METH_VARARGS, NULL},
                                  {"graph_value", get_value, METH_VARARGS, NULL},
                                  {"graph_output", get_output, METH_VARARGS, NULL},
                                  {"graph_run", run, METH_VARARGS, NULL},
                                  {"graph_bind", bind, METH_VARARGS, NULL},
                                  {"graph_define", define, METH_VARARGS, NULL},
                                  {"graph_parse", parse, METH_VARARGS, NULL},
                                  {"graph_write", write_bytes, METH_O, NULL},
                                  {"graph_read", read_bytes, METH_O, NULL},
                                  {NULL, NULL, 0, NULL}};

int tnp_graph_init(PyObject* module) {
  if (tnp_add_type(module, &ref_type, &ref_spec, NULL) != 0) return -1;
  if (tnp_graph_pass_init(module) != 0 || tnp_graph_size_init(module) != 0) return -1;
  return PyModule_AddFunctions(module, functions);
}
