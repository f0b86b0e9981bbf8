/* SPDX-License-Identifier: Apache-2.0 */
/* Packets: all overloads of one operator name. */
#include "binding.h"
#include "function_protocol.h"

#include <stddef.h>
#include <structmember.h>

PyTypeObject* tnp_packet_type;
static PyObject* packet_resolver; /* ops.py: adds overloads to a packet that has none yet */

static int fill(PyObject* packet) {
  if (packet_resolver == NULL) {
    PyErr_SetString(PyExc_RuntimeError, "tenon is not imported");
    return -1;
  }
  PyObject* done = PyObject_CallOneArg(packet_resolver, packet);
  Py_XDECREF(done);
  return done ? 0 : -1;
}

PyObject* tnp_packet_call(tnp_packet* self, PyObject* func, PyObject* const* args, size_t nargsf,
                          PyObject* kwnames) {
  if (TNP_UNLIKELY(PyTuple_GET_SIZE(self->ops) == 0)) {
    if (fill((PyObject*)self) != 0) return NULL;
  }
  PyObject* ops = self->ops;
  Py_ssize_t count = PyTuple_GET_SIZE(ops);
  /* Operator objects are never freed, so the tuple need not be held. */
  if (count == 1) {
    PyObject* op = PyTuple_GET_ITEM(ops, 0);
    return ((tnp_op*)op)->enter(op, func, args, nargsf, kwnames);
  }
  /* Function modes are consulted before overload resolution. */
  if (TNP_UNLIKELY(tnp_mode_has_handler())) {
    return tnp_call_handlers(func, args, PyVectorcall_NARGS(nargsf), kwnames);
  }
  Py_INCREF(ops);
  PyObject* result = NULL;
  PyObject* reasons = NULL;
  for (Py_ssize_t i = 0; i < count; i++) {
    tnp_op* op = (tnp_op*)PyTuple_GET_ITEM(ops, i);
    if (TNP_UNLIKELY(tnp_op_ready(op) != 0)) break;
    tnp_mismatch why = {.found = false};
    result = tnp_op_try(op, func, NULL, args, nargsf, kwnames, &why);
    if (TNP_LIKELY(result != NULL) || !why.found || PyErr_Occurred()) break;
    if (i + 1 < count) continue;
    result = tnp_call_forms(&PyTuple_GET_ITEM(ops, 0), count, func, args, nargsf, kwnames);
    if (result != NULL || PyErr_Occurred()) break;
    /* No overload matches: collect the reason for each. */
    reasons = PyList_New(0);
    for (Py_ssize_t k = 0; reasons != NULL && k < count; k++) {
      op = (tnp_op*)PyTuple_GET_ITEM(ops, k);
      why = (tnp_mismatch){.explain = true};
      PyObject* late =
          tnp_op_ready(op) == 0 ? tnp_op_try(op, func, NULL, args, nargsf, kwnames, &why) : NULL;
      if (late != NULL) {
        result = late; /* another thread has added a matching overload */
        Py_CLEAR(reasons);
        break;
      }
      if (why.text == NULL || tnp_raise_no_tensor(func, op, &why) ||
          PyList_Append(reasons, why.text) != 0) {
        Py_CLEAR(reasons);
      }
      Py_XDECREF(why.text);
    }
  }
  if (reasons != NULL) {
    PyObject* separator = PyUnicode_FromString("\n  ");
    PyObject* joined = separator ? PyUnicode_Join(separator, reasons) : NULL;
    if (joined != NULL) {
      tnp_raise_format(TENON_ERROR_TYPE,
                       "%U: arguments must fit one of %zd overloads, got none\n  %U", self->name,
                       count, joined);
    }
    Py_XDECREF(separator);
    Py_XDECREF(joined);
    Py_DECREF(reasons);
  } else if (result == NULL && !PyErr_Occurred()) {
    tnp_raise_format(TENON_ERROR_NOT_FOUND, "%U: operator must be defined, got none", self->name);
  }
  Py_DECREF(ops);
  return result;
}

static PyObject* packet_vectorcall(PyObject* callable, PyObject* const* args, size_t nargsf,
                                   PyObject* kwnames) {
  return tnp_packet_call((tnp_packet*)callable, callable, args, nargsf, kwnames);
}

static PyObject* packet_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static char* names[] = {"name", NULL};
  PyObject* name;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "U:OpOverloadPacket", names, &name)) return NULL;
  tnp_packet* self = (tnp_packet*)type->tp_alloc(type, 0);
  if (self == NULL) return NULL;
  self->vectorcall = packet_vectorcall;
  Py_INCREF(name);
  self->name = name;
  self->ops = PyTuple_New(0);
  if (self->ops == NULL) Py_CLEAR(self);
  return (PyObject*)self;
}

static PyObject* packet_set(PyObject* object, PyObject* ops) {
  if (!PyTuple_CheckExact(ops)) return PyErr_Format(PyExc_TypeError, "ops must be a tuple");
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(ops); i++) {
    if (Py_TYPE(PyTuple_GET_ITEM(ops, i)) != tnp_op_type) {
      return PyErr_Format(PyExc_TypeError, "ops must hold OpOverload");
    }
  }
  Py_INCREF(ops);
  Py_SETREF(((tnp_packet*)object)->ops, ops);
  Py_RETURN_NONE;
}

static PyObject* packet_get_name(PyObject* object, void* unused) {
  (void)unused;
  Py_INCREF(((tnp_packet*)object)->name);
  return ((tnp_packet*)object)->name;
}

static PyObject* packet_get_short_name(PyObject* object, void* unused) {
  (void)unused;
  PyObject* name = ((tnp_packet*)object)->name;
  Py_ssize_t length = PyUnicode_GET_LENGTH(name);
  Py_ssize_t colon = PyUnicode_FindChar(name, ':', 0, length, -1);
  if (colon == -2) return NULL;
  return PyUnicode_Substring(name, colon + 1, length);
}

static PyObject* packet_get_ops(PyObject* object, void* unused) {
  (void)unused;
  Py_INCREF(((tnp_packet*)object)->ops);
  return ((tnp_packet*)object)->ops;
}

/* Overloads are stored in the object's dict. A packet that has not been used looks them up
 * first. */
static PyObject* packet_getattr(PyObject* object, PyObject* name) {
  PyObject* value = PyObject_GenericGetAttr(object, name);
  if (TNP_LIKELY(value != NULL) || !PyErr_ExceptionMatches(PyExc_AttributeError)) return value;
  tnp_packet* self = (tnp_packet*)object;
  const char* text = PyUnicode_AsUTF8(name);
  if (text == NULL || strncmp(text, "__", 2) == 0) return NULL;
  PyErr_Clear();
  if (PyTuple_GET_SIZE(self->ops) == 0) {
    if (fill(object) != 0) return NULL;
    value = PyObject_GenericGetAttr(object, name);
    if (value != NULL) return value;
    PyErr_Clear();
  }
  PyObject* known = PyList_New(0);
  for (Py_ssize_t i = 0; known != NULL && i < PyTuple_GET_SIZE(self->ops); i++) {
    PyObject* overload = PyObject_GetAttrString(PyTuple_GET_ITEM(self->ops, i), "_overloadname");
    if (overload != NULL && PyUnicode_GET_LENGTH(overload) == 0) {
      Py_SETREF(overload, PyUnicode_FromString("default"));
    }
    if (overload == NULL || PyList_Append(known, overload) != 0) Py_CLEAR(known);
    Py_XDECREF(overload);
  }
  if (known != NULL) {
    PyErr_Format(PyExc_AttributeError, "%U: overload must be one of %R, got '%U'", self->name,
                 known, name);
    Py_DECREF(known);
  }
  return NULL;
}

/* Copies and unpickles as the packet itself, by its name. */
static PyObject* packet_reduce(PyObject* object, PyObject* unused) {
  (void)unused;
  PyObject* module = PyImport_ImportModule("tenon.ops");
  PyObject* find = module ? PyObject_GetAttrString(module, "_packet") : NULL;
  Py_XDECREF(module);
  return find ? Py_BuildValue("(N(O))", find, ((tnp_packet*)object)->name) : NULL;
}

static int packet_traverse(PyObject* object, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(((tnp_packet*)object)->ops);
  Py_VISIT(((tnp_packet*)object)->dict);
  return 0;
}

static int packet_clear(PyObject* object) {
  Py_CLEAR(((tnp_packet*)object)->dict);
  return 0;
}

static void packet_dealloc(PyObject* object) {
  tnp_packet* self = (tnp_packet*)object;
  PyTypeObject* type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  if (self->weakrefs != NULL) PyObject_ClearWeakRefs(object);
  Py_XDECREF(self->name);
  Py_XDECREF(self->ops);
  Py_XDECREF(self->dict);
  type->tp_free(object);
  Py_DECREF(type);
}

static PyGetSetDef packet_getset[] = {
    {"__name__", packet_get_short_name, NULL, "Name without namespace, such as \"add\".", NULL},
    {"_qualified_op_name", packet_get_name, NULL, "Name, such as \"aten::add\".", NULL},
    {"_ops", packet_get_ops, NULL, "Overloads in order of definition.", NULL},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL}};
static PyMethodDef packet_methods[] = {{"_set_ops", packet_set, METH_O, NULL},
                                       {"__reduce__", packet_reduce, METH_NOARGS, NULL},
                                       {NULL, NULL, 0, NULL}};
static PyMemberDef packet_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(tnp_packet, vectorcall), READONLY, NULL},
    {"__dictoffset__", T_PYSSIZET, offsetof(tnp_packet, dict), READONLY, NULL},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(tnp_packet, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL}};
static PyType_Slot packet_slots[] = {
    {Py_tp_doc, "All overloads of one operator name. A call takes the first overload that fits."},
    {Py_tp_new, packet_new},
    {Py_tp_dealloc, packet_dealloc},
    {Py_tp_getattro, packet_getattr},
    {Py_tp_traverse, packet_traverse},
    {Py_tp_clear, packet_clear},
    {Py_tp_call, PyVectorcall_Call},
    {Py_tp_getset, packet_getset},
    {Py_tp_methods, packet_methods},
    {Py_tp_members, packet_members},
    {0, NULL}};
static PyType_Spec packet_spec = {
    "tenon.ops.OpOverloadPacket", sizeof(tnp_packet), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
    packet_slots};

/* ---- The module ------------------------------------------------------------------------------ */

static PyObject* set_packet_resolver(PyObject* module, PyObject* resolver) {
  (void)module;
  Py_INCREF(resolver);
  Py_XSETREF(packet_resolver, resolver);
  Py_RETURN_NONE;
}

static PyMethodDef methods[] = {{"_set_packet_resolver", set_packet_resolver, METH_O, NULL},
                                {NULL, NULL, 0, NULL}};

int tnp_packet_init(PyObject* module) {
  if (PyModule_AddFunctions(module, methods) != 0) return -1;
  return tnp_add_type(module, &tnp_packet_type, &packet_spec, NULL);
}
