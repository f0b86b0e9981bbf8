/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel of a custom_op: calls a function and checks that its results share no memory. */
#include "native.h"

#include <stddef.h>
#include <structmember.h>

typedef struct {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject *name, *function;
} checked;

enum { ROOM = 64 }; /* storages; further ones are not checked */

/* Appends the storages of a Tensor, or of the tensors in a list or tuple; returns the new count. */
static Py_ssize_t storages_of(PyObject* object, const tenon_storage** out, Py_ssize_t count) {
  if (TNP_IS_TENSOR(object)) {
    const tenon_tensor* tensor = ((tnp_tensor*)object)->tensor;
    if (tensor != NULL && count < ROOM) out[count++] = tenon_tensor_storage(tensor);
  } else if (PyList_Check(object) || PyTuple_Check(object)) {
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); i++) {
      PyObject* each = PySequence_Fast_GET_ITEM(object, i);
      if (TNP_IS_TENSOR(each)) count = storages_of(each, out, count);
    }
  }
  return count;
}

static int refuse_aliases(PyObject* name, PyObject* const* args, Py_ssize_t nargs,
                          PyObject* result) {
  const tenon_storage* storages[ROOM];
  Py_ssize_t results = storages_of(result, storages, 0), count = results;
  for (Py_ssize_t i = 0; i < nargs; i++) count = storages_of(args[i], storages, count);
  for (Py_ssize_t i = 0; i < results; i++) {
    for (Py_ssize_t k = i + 1; k < count; k++) {
      if (storages[i] != storages[k]) continue;
      tnp_raise_format(TENON_ERROR_RUNTIME,
                       "%S: results must not alias %s, got one that shares its memory; return a "
                       "clone",
                       name, k < results ? "each other" : "an argument");
      return -1;
    }
  }
  return 0;
}

static PyObject* call(PyObject* callable, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
  const checked* self = (checked*)callable;
  PyObject* result = PyObject_Vectorcall(self->function, args, nargsf, kwnames);
  Py_ssize_t nargs = PyVectorcall_NARGS(nargsf) + (kwnames ? PyTuple_GET_SIZE(kwnames) : 0);
  if (result != NULL && refuse_aliases(self->name, args, nargs, result) != 0) Py_CLEAR(result);
  return result;
}

static PyObject* checked_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static char* names[] = {"name", "function", NULL};
  PyObject *name, *function;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "UO:AliasCheckedKernel", names, &name,
                                   &function)) {
    return NULL;
  }
  checked* self = (checked*)type->tp_alloc(type, 0);
  if (self == NULL) return NULL;
  self->vectorcall = call;
  self->name = Py_NewRef(name);
  self->function = Py_NewRef(function);
  return (PyObject*)self;
}

static int checked_traverse(PyObject* object, visitproc visit, void* arg) {
  Py_VISIT(((checked*)object)->function);
  Py_VISIT(Py_TYPE(object));
  return 0;
}

static int checked_clear(PyObject* object) {
  Py_CLEAR(((checked*)object)->function);
  return 0;
}

static void checked_dealloc(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  Py_CLEAR(((checked*)object)->name);
  checked_clear(object);
  type->tp_free(object);
  Py_DECREF(type);
}

/* Falls back to the function's attributes, such as its name and source location. */
static PyObject* checked_getattr(PyObject* object, PyObject* name) {
  PyObject* value = PyObject_GenericGetAttr(object, name);
  PyObject* function = ((checked*)object)->function;
  if (value != NULL || function == NULL || !PyErr_ExceptionMatches(PyExc_AttributeError)) {
    return value;
  }
  PyErr_Clear();
  return PyObject_GetAttr(function, name);
}

static PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(checked, vectorcall), READONLY, NULL},
    {"__wrapped__", T_OBJECT_EX, offsetof(checked, function), READONLY, NULL},
    {NULL, 0, 0, 0, NULL}};
static PyType_Slot slots[] = {
    {Py_tp_doc, "A function, and the check that its results share no memory with arguments."},
    {Py_tp_new, checked_new},
    {Py_tp_dealloc, checked_dealloc},
    {Py_tp_traverse, checked_traverse},
    {Py_tp_clear, checked_clear},
    {Py_tp_getattro, checked_getattr},
    {Py_tp_call, PyVectorcall_Call},
    {Py_tp_members, members},
    {0, NULL}};
static PyType_Spec spec = {"tenon._tenon.AliasCheckedKernel", sizeof(checked), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_HAVE_GC,
                           slots};

int tnp_alias_check_init(PyObject* module) {
  static PyTypeObject* type;
  return tnp_add_type(module, &type, &spec, NULL);
}
