/* SPDX-License-Identifier: Apache-2.0 */
/* Operator objects, one per operator. Their calls are in call.c. */
#include "binding.h"
#include "value.h"

#include <stddef.h>
#include <string.h>
#include <structmember.h>

PyTypeObject* tnp_op_type;
_Atomic(uint64_t) tnp_generation = 1;
static PyObject* op_objects; /* address of the operator -> object; operators are never freed */

/* ---- The object ------------------------------------------------------------------------------ */

/* Drops the binding: the operator has no schema, or an unknown one. */
static void forget(tnp_op* self) {
  tnp_binding* old = self->binding;
  self->binding = NULL;
  self->generation = 0;
  tnp_op_set_calls(self, NULL);
  tnp_binding_release(old);
}

/* Returns 1 if an operator accepts numbers for Tensor arguments, 0 if not, -1 with an exception. */
static int takes_numbers(const tenon_op* op) {
  static const char tag[] = "allow_numbers_as_tensors";
  tenon_buffer* tags = NULL;
  if (tnp_check(tenon_op_copy_tags(op, &tags)) != 0) return -1;
  int found = 0;
  for (const char* line = tenon_buffer_data(tags); line != NULL && !found;) {
    const char* end = strchr(line, '\n');
    size_t size = end != NULL ? (size_t)(end - line) : strlen(line);
    found = size == sizeof tag - 1 && memcmp(line, tag, size) == 0;
    line = end != NULL ? end + 1 : NULL;
  }
  tenon_buffer_release(tags);
  return found;
}

int tnp_op_refresh(tnp_op* self) {
  uint64_t now = atomic_load_explicit(&tnp_generation, memory_order_acquire);
  tenon_schema* schema;
  if (tenon_op_copy_schema(self->op, &schema) != TENON_OK) {
    forget(self);
    tnp_raise();
    return -1;
  }
  if (self->binding != NULL && self->binding->schema == schema) {
    tenon_schema_release(schema);
  } else {
    int numbers = takes_numbers(self->op);
    if (numbers < 0) {
      tenon_schema_release(schema);
      return -1;
    }
    tnp_binding* fresh = tnp_binding_new(schema, numbers != 0);
    if (fresh == NULL) return -1;
    tnp_binding_release(self->binding);
    self->binding = fresh;
    tnp_op_set_calls(self, fresh);
  }
  self->generation = now;
  return 0;
}

void tnp_op_forget_removed(void) {
  Py_ssize_t position = 0;
  PyObject *key, *value;
  uint64_t now = atomic_load_explicit(&tnp_generation, memory_order_acquire);
  while (PyDict_Next(op_objects, &position, &key, &value)) {
    tnp_op* self = (tnp_op*)value;
    tenon_schema* schema;
    if (self->binding == NULL || self->generation == now) continue;
    if (tenon_op_copy_schema(self->op, &schema) == TENON_OK) {
      tenon_schema_release(schema);
    } else {
      tenon_error_release(tenon_error_take());
      forget(self);
    }
  }
}

PyObject* tnp_op_object(const tenon_op* op) {
  PyObject* key = PyLong_FromVoidPtr((void*)op);
  if (key == NULL) return NULL;
  PyObject* known = PyDict_GetItemWithError(op_objects, key);
  if (known != NULL || PyErr_Occurred()) {
    Py_XINCREF(known);
    Py_DECREF(key);
    return known;
  }
  tnp_op* self = PyObject_GC_New(tnp_op, tnp_op_type);
  if (self != NULL) {
    tnp_op_set_calls(self, NULL);
    self->op = op;
    self->binding = NULL;
    self->generation = 0;
    self->dict = NULL;
    self->weakrefs = NULL;
    self->name = PyUnicode_InternFromString(tenon_op_name(op));
    if (self->name == NULL || PyDict_SetItem(op_objects, key, (PyObject*)self) != 0) Py_CLEAR(self);
  }
  Py_DECREF(key);
  return (PyObject*)self;
}

/* ---- Attributes ------------------------------------------------------------------------------ */

static PyObject* op_name(PyObject* self, PyObject* unused) {
  (void)unused;
  Py_INCREF(((tnp_op*)self)->name);
  return ((tnp_op*)self)->name;
}

static const char* short_name(tnp_op* self) {
  const char* name = tenon_op_name(self->op);
  const char* colons = strstr(name, "::");
  return colons ? colons + 2 : name;
}

static PyObject* get_short_name(PyObject* self, void* unused) {
  (void)unused;
  return PyUnicode_FromString(short_name((tnp_op*)self));
}

static PyObject* get_namespace(PyObject* self, void* unused) {
  (void)unused;
  const char* name = tenon_op_name(((tnp_op*)self)->op);
  return PyUnicode_FromStringAndSize(name, (Py_ssize_t)(strstr(name, "::") - name));
}

static PyObject* get_overload(PyObject* self, void* unused) {
  (void)unused;
  const char* dot = strchr(short_name((tnp_op*)self), '.');
  return PyUnicode_FromString(dot ? dot + 1 : "");
}

static PyObject* get_defined(PyObject* self, void* unused) {
  (void)unused;
  tenon_schema* schema;
  if (tenon_op_copy_schema(((tnp_op*)self)->op, &schema) != TENON_OK) {
    tenon_error_release(tenon_error_take());
    Py_RETURN_FALSE;
  }
  tenon_schema_release(schema);
  Py_RETURN_TRUE;
}

static PyObject* op_schema(PyObject* self, PyObject* unused) {
  (void)unused;
  tenon_schema* schema;
  if (tnp_check(tenon_op_copy_schema(((tnp_op*)self)->op, &schema)) != 0) return NULL;
  return tnp_handle_new(TNP_HANDLE_SCHEMA, schema);
}

static PyObject* op_repr(PyObject* self) {
  tnp_op* op = (tnp_op*)self;
  const char* name = tenon_op_name(op->op);
  const char* rest = short_name(op);
  const char* dot = strchr(rest, '.');
  Py_ssize_t plain = (dot ? dot : rest + strlen(rest)) - rest;
  PyObject* packet = PyUnicode_FromStringAndSize(rest, plain);
  PyObject* ns = PyUnicode_FromStringAndSize(name, rest - name - 2);
  PyObject* repr = packet && ns ? PyUnicode_FromFormat("<OpOverload(op='%U.%U', overload='%s')>",
                                                       ns, packet, dot ? dot + 1 : "default")
                                : NULL;
  Py_XDECREF(packet);
  Py_XDECREF(ns);
  return repr;
}

static PyObject* op_reduce(PyObject* self, PyObject* unused) {
  (void)unused;
  PyObject* module = PyImport_ImportModule("tenon._tenon");
  PyObject* find = module ? PyObject_GetAttrString(module, "find_op") : NULL;
  Py_XDECREF(module);
  if (find == NULL) return NULL;
  return Py_BuildValue("(N(O))", find, ((tnp_op*)self)->name);
}

static int op_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(((tnp_op*)self)->dict);
  return 0;
}

static void op_dealloc(PyObject* object) {
  tnp_op* self = (tnp_op*)object;
  PyTypeObject* type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  if (self->weakrefs != NULL) PyObject_ClearWeakRefs(object);
  tnp_binding_release(self->binding);
  Py_XDECREF(self->name);
  Py_XDECREF(self->dict);
  PyObject_GC_Del(object);
  Py_DECREF(type);
}

static PyGetSetDef op_getset[] = {
    {"__name__", get_short_name, NULL, NULL, NULL},
    {"namespace", get_namespace, NULL, "Namespace, such as \"aten\".", NULL},
    {"_overloadname", get_overload, NULL, "Overload name, \"\" for the default overload.", NULL},
    {"is_defined", get_defined, NULL, "Whether the operator has a schema now.", NULL},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL}};
static PyMethodDef op_methods[] = {
    {"name", op_name, METH_NOARGS, "name()\n--\n\nReturns the full name, \"ns::name.overload\"."},
    {"redispatch", (PyCFunction)(void (*)(void))tnp_op_redispatch, METH_FASTCALL | METH_KEYWORDS,
     "redispatch(keyset, *args, **kwargs)\n--\n\nCalls the kernel that serves `keyset`; the "
     "thread's "
     "keys are not consulted."},
    {"compute_keys", (PyCFunction)(void (*)(void))tnp_op_keys, METH_FASTCALL | METH_KEYWORDS,
     "compute_keys(*args, **kwargs)\n--\n\nReturns the key set a call would be dispatched with."},
    {"_bind", (PyCFunction)(void (*)(void))tnp_op_bind, METH_FASTCALL | METH_KEYWORDS,
     "_bind(*args, **kwargs)\n--\n\n"
     "Returns the arguments in the order of the schema, as kernels get them, defaults filled in."},
    {"explain", (PyCFunction)(void (*)(void))tnp_op_explain, METH_FASTCALL | METH_KEYWORDS,
     "explain(*args, **kwargs)\n--\n\nSays in words what a call would do, without making it."},
    {"_schema_handle", op_schema, METH_NOARGS, NULL},
    {"__reduce__", op_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL}};
static PyMemberDef op_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(tnp_op, vectorcall), READONLY, NULL},
    {"__dictoffset__", T_PYSSIZET, offsetof(tnp_op, dict), READONLY, NULL},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(tnp_op, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL}};
static PyType_Slot op_slots[] = {
    {Py_tp_doc, "One overload of an operator, such as tenon.ops.aten.add.Tensor. Callable."},
    {Py_tp_dealloc, op_dealloc},
    {Py_tp_traverse, op_traverse},
    {Py_tp_repr, op_repr},
    {Py_tp_call, PyVectorcall_Call},
    {Py_tp_getset, op_getset},
    {Py_tp_methods, op_methods},
    {Py_tp_members, op_members},
    {0, NULL}};
static PyType_Spec op_spec = {"tenon.ops.OpOverload", sizeof(tnp_op), 0,
                              Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_HAVE_GC |
                                  Py_TPFLAGS_DISALLOW_INSTANTIATION,
                              op_slots};

/* ---- Finding --------------------------------------------------------------------------------- */

PyObject* tnp_find_op(PyObject* module, PyObject* name) {
  (void)module;
  if (!PyUnicode_Check(name)) {
    return tnp_raise_format(TENON_ERROR_TYPE, "find_op: name must be str, got %s",
                            Py_TYPE(name)->tp_name);
  }
  const char* text = tnp_utf8(name);
  if (text == NULL) return NULL;
  const tenon_op* op;
  tenon_status status;
  Py_BEGIN_ALLOW_THREADS /* may load the plugin that holds the kernels */
      status = tenon_op_find(text, &op);
  Py_END_ALLOW_THREADS if (tnp_check(status) != 0) return NULL;
  return tnp_op_object(op);
}

PyObject* tnp_cached_op_slow(tnp_op_cache* known) {
  PyObject* name = PyUnicode_FromString(known->name);
  if (name == NULL) return NULL;
  known->op = tnp_find_op(NULL, name); /* never released: operators are never freed */
  Py_DECREF(name);
  return known->op;
}

static PyMethodDef methods[] = {
    {"find_op", tnp_find_op, METH_O,
     "find_op(name, /)\n--\n\nFinds an operator by full name, \"ns::name.overload\"."},
    {NULL, NULL, 0, NULL}};

int tnp_op_init(PyObject* module) {
  if (op_objects == NULL && (op_objects = PyDict_New()) == NULL) return -1;
  if (PyModule_AddFunctions(module, methods) != 0) return -1;
  if (tnp_add_type(module, &tnp_op_type, &op_spec, NULL) != 0) return -1;
  return tnp_packet_init(module);
}
