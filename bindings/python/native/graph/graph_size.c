/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of graphs, functions of them, and guards: conversion to and from Python. */
#include "graph.h"

/* Converts a number or a Ref. Returns 0, or -1 with an exception. */
static int to_number(PyObject* object, tenon_value* out) {
  int64_t value;
  if (tnp_ref_get(object, &value)) {
    *out = tenon_value_of_number(TENON_TAG_REF, value);
  } else if (PyFloat_Check(object)) {
    *out = tenon_value_of_float(PyFloat_AS_DOUBLE(object));
  } else if (PyLong_Check(object)) {
    *out = tenon_value_of_int(PyLong_AsLongLong(object));
    return PyErr_Occurred() ? -1 : 0;
  } else {
    tnp_raise_format(TENON_ERROR_TYPE, "Graph: a number must be int, float or Ref, got %s",
                     Py_TYPE(object)->tp_name);
    return -1;
  }
  return 0;
}

/* Converts the numbers of a tuple. Returns their count, or -1 with an exception. */
static Py_ssize_t to_numbers(PyObject* tuple, tenon_value* out, Py_ssize_t most) {
  Py_ssize_t count = PyTuple_GET_SIZE(tuple);
  if (count > most) {
    tnp_raise_format(TENON_ERROR_INVALID_ARGUMENT, "Graph: numbers must be at most %zd, got %zd",
                     most, count);
    return -1;
  }
  for (Py_ssize_t i = 0; i < count; i++) {
    if (to_number(PyTuple_GET_ITEM(tuple, i), &out[i]) != 0) return -1;
  }
  return count;
}

static int to_bound(PyObject* object, int64_t none, int64_t* out) {
  *out = none;
  if (object == Py_None) return 0;
  *out = PyLong_AsLongLong(object);
  return *out == -1 && PyErr_Occurred() ? -1 : 0;
}

/* (graph, tensor, dim, name, hint, min, max): returns a Ref. */
static PyObject* add_size(PyObject* module, PyObject* args) {
  (void)module;
  PyObject *handle, *tensor, *hint, *low, *high;
  long long dim;
  const char* name;
  if (!PyArg_ParseTuple(args, "OOLzOOO:graph_add_size", &handle, &tensor, &dim, &name, &hint, &low,
                        &high)) {
    return NULL;
  }
  tenon_graph* graph = tnp_graph_get(handle);
  int64_t value = -1, number, min, max;
  if (graph == NULL || to_bound(hint, 0, &number) != 0 || to_bound(low, INT64_MIN, &min) != 0 ||
      to_bound(high, INT64_MAX, &max) != 0) {
    return NULL;
  }
  tnp_ref_get(tensor, &value);
  const int64_t* given = hint == Py_None ? NULL : &number;
  int64_t size;
  if (tnp_check(tenon_graph_add_size(graph, value, dim, name, given, min, max, &size)) != 0) {
    return NULL;
  }
  return tnp_ref_object(size);
}

/* (graph, function, numbers): returns a Ref. */
static PyObject* add_number(PyObject* module, PyObject* args) {
  (void)module;
  PyObject *handle, *numbers;
  unsigned function;
  if (!PyArg_ParseTuple(args, "OIO!:graph_add_number", &handle, &function, &PyTuple_Type,
                        &numbers)) {
    return NULL;
  }
  tenon_graph* graph = tnp_graph_get(handle);
  tenon_value given[2];
  Py_ssize_t count = graph != NULL ? to_numbers(numbers, given, 2) : -1;
  int64_t value;
  if (count < 0 || tnp_check(tenon_graph_add_number(graph, function, given, count, &value)) != 0) {
    return NULL;
  }
  return tnp_ref_object(value);
}

/* (graph, function, numbers) */
static PyObject* add_guard(PyObject* module, PyObject* args) {
  (void)module;
  PyObject *handle, *numbers;
  unsigned function;
  if (!PyArg_ParseTuple(args, "OIO!:graph_add_guard", &handle, &function, &PyTuple_Type,
                        &numbers)) {
    return NULL;
  }
  tenon_graph* graph = tnp_graph_get(handle);
  tenon_value given[2];
  Py_ssize_t count = graph != NULL ? to_numbers(numbers, given, 2) : -1;
  if (count < 0 || tnp_check(tenon_graph_add_guard(graph, function, given, count)) != 0) {
    return NULL;
  }
  Py_RETURN_NONE;
}

/* (graph, tensor, sizes) */
static PyObject* set_dims(PyObject* module, PyObject* args) {
  (void)module;
  PyObject *handle, *tensor, *sizes;
  if (!PyArg_ParseTuple(args, "OOO!:graph_set_dims", &handle, &tensor, &PyTuple_Type, &sizes)) {
    return NULL;
  }
  tenon_graph* graph = tnp_graph_get(handle);
  int64_t value = -1;
  tnp_ref_get(tensor, &value);
  tenon_value dims[TENON_TENSOR_MAX_DIMS];
  Py_ssize_t count = graph != NULL ? to_numbers(sizes, dims, TENON_TENSOR_MAX_DIMS) : -1;
  if (count < 0 || tnp_check(tenon_graph_set_dims(graph, value, dims, count)) != 0) return NULL;
  Py_RETURN_NONE;
}

static PyObject* bound_object(int64_t bound, int64_t none) {
  return bound == none ? Py_NewRef(Py_None) : PyLong_FromLongLong(bound);
}

static PyObject* number_object(const tenon_value* number) {
  if (number->tag == TENON_TAG_REF) return tnp_ref_object(number->as.i);
  if (number->tag == TENON_TAG_FLOAT) return PyFloat_FromDouble(number->as.f);
  return PyLong_FromLongLong(number->as.i);
}

static PyObject* numbers_object(const tenon_value* numbers, int64_t count) {
  PyObject* tuple = PyTuple_New((Py_ssize_t)count);
  for (int64_t i = 0; tuple != NULL && i < count; i++) {
    PyObject* number = number_object(&numbers[i]);
    if (number == NULL)
      Py_CLEAR(tuple);
    else
      PyTuple_SET_ITEM(tuple, (Py_ssize_t)i, number);
  }
  return tuple;
}

/* Returns (name, tensor or None, dim, min, max, hint) for a size, (function, numbers) for a
 * function. */
static PyObject* get_number(PyObject* module, PyObject* args) {
  (void)module;
  PyObject* handle;
  long long value;
  if (!PyArg_ParseTuple(args, "OL:graph_number", &handle, &value)) return NULL;
  tenon_graph* graph = tnp_graph_get(handle);
  tenon_graph_number number = {.struct_size = sizeof number};
  if (graph == NULL || tnp_check(tenon_graph_get_number(graph, value, &number)) != 0) return NULL;
  if (number.name == NULL) {
    return Py_BuildValue("(IN)", number.function,
                         numbers_object(number.operands, number.noperands));
  }
  return Py_BuildValue(
      "(sNLNNN)", number.name,
      number.tensor < 0 ? Py_NewRef(Py_None) : tnp_ref_object(number.tensor), (long long)number.dim,
      bound_object(number.min, INT64_MIN), bound_object(number.max, INT64_MAX),
      number.has_hint != 0 ? PyLong_FromLongLong(number.hint) : Py_NewRef(Py_None));
}

/* (graph, number): returns its text, such as "2*s0 + 1". */
static PyObject* print_number(PyObject* module, PyObject* args) {
  (void)module;
  PyObject *handle, *object;
  if (!PyArg_ParseTuple(args, "OO:graph_print_number", &handle, &object)) return NULL;
  tenon_graph* graph = tnp_graph_get(handle);
  tenon_value number;
  tenon_buffer* text = NULL;
  if (graph == NULL || to_number(object, &number) != 0 ||
      tnp_check(tenon_graph_print_number(graph, &number, &text)) != 0) {
    return NULL;
  }
  return tnp_text(text);
}

/* Returns (text, operator or None, file or None, line) of each guard. */
static PyObject* get_guards(PyObject* module, PyObject* handle) {
  (void)module;
  tenon_graph* graph = tnp_graph_get(handle);
  if (graph == NULL) return NULL;
  int64_t count = tenon_graph_guard_count(graph);
  PyObject* list = PyList_New((Py_ssize_t)count);
  for (int64_t i = 0; list != NULL && i < count; i++) {
    tenon_graph_guard guard = {.struct_size = sizeof guard};
    tenon_buffer* text = NULL;
    PyObject* item = NULL;
    if (tnp_check(tenon_graph_get_guard(graph, i, &guard, &text)) == 0) {
      item = Py_BuildValue("(Nzzi)", tnp_text(text), guard.op, guard.file, (int)guard.line);
    }
    if (item == NULL)
      Py_CLEAR(list);
    else
      PyList_SET_ITEM(list, (Py_ssize_t)i, item);
  }
  return list;
}

static PyMethodDef functions[] = {{"graph_add_size", add_size, METH_VARARGS, NULL},
                                  {"graph_add_number", add_number, METH_VARARGS, NULL},
                                  {"graph_add_guard", add_guard, METH_VARARGS, NULL},
                                  {"graph_set_dims", set_dims, METH_VARARGS, NULL},
                                  {"graph_number", get_number, METH_VARARGS, NULL},
                                  {"graph_print_number", print_number, METH_VARARGS, NULL},
                                  {"graph_guards", get_guards, METH_O, NULL},
                                  {NULL, NULL, 0, NULL}};

int tnp_graph_size_init(PyObject* module) { return PyModule_AddFunctions(module, functions); }
