/* SPDX-License-Identifier: Apache-2.0 */
/* Size, the type of Tensor.shape: a tuple with numel() whose slices and sums are Sizes. */
#include "native.h"

PyTypeObject* tnp_size_type;
const char* tnp_package_name = "tenon";

/* Creates a Size that the collector does not track, unlike tp_alloc: sizes contain only numbers. */
PyObject* tnp_size_new(Py_ssize_t count) {
  PyTupleObject* self = PyObject_GC_NewVar(PyTupleObject, tnp_size_type, count);
  if (self == NULL) return NULL;
#if PY_VERSION_HEX >= 0x030E0000
  self->ob_hash = -1;
#endif
  for (Py_ssize_t i = 0; i < count; i++) self->ob_item[i] = NULL;
  return (PyObject*)self;
}

static void size_dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  for (Py_ssize_t i = 0; i < Py_SIZE(self); i++) Py_XDECREF(PyTuple_GET_ITEM(self, i));
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

PyObject* tnp_size_of(PyObject* tuple) {
  if (tuple == NULL || !PyTuple_Check(tuple) || Py_TYPE(tuple) == tnp_size_type) return tuple;
  const Py_ssize_t count = PyTuple_GET_SIZE(tuple);
  PyObject* size = tnp_size_new(count);
  for (Py_ssize_t i = 0; size != NULL && i < count; i++) {
    PyTuple_SET_ITEM(size, i, Py_NewRef(PyTuple_GET_ITEM(tuple, i)));
  }
  Py_DECREF(tuple);
  return size;
}

static PyObject* size_repr(PyObject* self) {
  PyObject* list = PySequence_List(self);
  PyObject* text = list ? PyUnicode_FromFormat("%s.Size(%R)", tnp_package_name, list) : NULL;
  Py_XDECREF(list);
  return text;
}

static PyObject* size_numel(PyObject* self, PyObject* unused) {
  (void)unused;
  PyObject* product = PyLong_FromLong(1);
  for (Py_ssize_t i = 0; product != NULL && i < PyTuple_GET_SIZE(self); i++) {
    Py_SETREF(product, PyNumber_Multiply(product, PyTuple_GET_ITEM(self, i)));
  }
  return product;
}

static PyObject* size_add(PyObject* a, PyObject* b) {
  if (!PyTuple_Check(a) || !PyTuple_Check(b)) Py_RETURN_NOTIMPLEMENTED;
  return tnp_size_of(PyTuple_Type.tp_as_sequence->sq_concat(a, b));
}

static PyObject* size_repeat(PyObject* self, Py_ssize_t count) {
  return tnp_size_of(PyTuple_Type.tp_as_sequence->sq_repeat(self, count));
}

static PyObject* size_subscript(PyObject* self, PyObject* key) {
  PyObject* item = PyTuple_Type.tp_as_mapping->mp_subscript(self, key);
  return PySlice_Check(key) ? tnp_size_of(item) : item;
}

static PyMethodDef methods[] = {
    {"numel", size_numel, METH_NOARGS, "numel()\n--\n\nReturns the product of the sizes."},
    {NULL, NULL, 0, NULL}};
static PyType_Slot slots[] = {{Py_tp_doc, "Sizes of the dims of a tensor: a tuple of int."},
                              {Py_tp_dealloc, size_dealloc},
                              {Py_tp_repr, size_repr},
                              {Py_nb_add, size_add},
                              {Py_sq_concat, size_add},
                              {Py_sq_repeat, size_repeat},
                              {Py_mp_subscript, size_subscript},
                              {Py_tp_methods, methods},
                              {0, NULL}};
static PyType_Spec spec = {"tenon.Size", 0, 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_TUPLE_SUBCLASS,
                           slots};

/* _set_package_name(name): sets the name that dtypes and sizes print. */
static PyObject* set_package_name(PyObject* module, PyObject* name) {
  (void)module;
  static PyObject* kept;
  const char* text = PyUnicode_AsUTF8(name);
  if (text == NULL) return NULL;
  Py_XSETREF(kept, Py_NewRef(name));
  tnp_package_name = text;
  Py_RETURN_NONE;
}

static PyMethodDef functions[] = {{"_set_package_name", set_package_name, METH_O, NULL},
                                  {NULL, NULL, 0, NULL}};

int tnp_size_init(PyObject* module) {
  if (PyModule_AddFunctions(module, functions) != 0) return -1;
  return tnp_add_type(module, &tnp_size_type, &spec, (PyObject*)&PyTuple_Type);
}
