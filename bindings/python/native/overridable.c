/* SPDX-License-Identifier: Apache-2.0 */
/* Public functions and attributes of Tensor that call `__torch_function__` handlers first. */
#include "overridable.h"

#include <stddef.h>
#include <structmember.h>

#include "binding.h"
#include "function_protocol.h"

/* ---- Functions ------------------------------------------------------------------------------- */

/* A function, or an operator as a method of Tensor. Binds `self` as functions do, which a packet in
 * a class body must not do. */
typedef struct {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject* target;
  vectorcallfunc enter; /* calls the target */
  PyObject* func; /* passed to handlers in its place, borrowed: a property's getter. NULL: itself */
  PyObject* dict; /* name, documentation and so on, where they differ from the target's */
  PyObject* weakrefs;
} overridable;

static PyTypeObject* overridable_type;

static PyObject* call(PyObject* callable, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
  const overridable* self = (overridable*)callable;
  Py_ssize_t nargs = PyVectorcall_NARGS(nargsf);
  Py_ssize_t count = nargs + (kwnames != NULL ? PyTuple_GET_SIZE(kwnames) : 0);
  if (TNP_UNLIKELY(tnp_has_handler(args, count))) {
    return tnp_call_handlers(self->func != NULL ? self->func : callable, args, nargs, kwnames);
  }
  return self->enter(self->target, args, nargsf, kwnames);
}

/* Calls an operator. The binding of its arguments finds the handlers. */
static PyObject* call_packet(PyObject* callable, PyObject* const* args, size_t nargsf,
                             PyObject* kwnames) {
  return tnp_packet_call((tnp_packet*)((overridable*)callable)->target, callable, args, nargsf,
                         kwnames);
}

/* Calls a target that does not implement vectorcall. */
static PyObject* enter_slowly(PyObject* target, PyObject* const* args, size_t nargsf,
                              PyObject* kwnames) {
  return PyObject_Vectorcall(target, args, nargsf, kwnames);
}

static PyObject* make(PyTypeObject* type, PyObject* target, PyObject* func) {
  overridable* self = (overridable*)type->tp_alloc(type, 0);
  if (self == NULL) return NULL;
  self->vectorcall = Py_TYPE(target) == tnp_packet_type ? call_packet : call;
  self->target = Py_NewRef(target);
  self->enter = PyVectorcall_Function(target);
  if (self->enter == NULL) self->enter = enter_slowly;
  self->func = func;
  return (PyObject*)self;
}

static PyObject* overridable_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static char* names[] = {"function", NULL};
  PyObject* function;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O:OverridableFunction", names, &function)) {
    return NULL;
  }
  if (!PyCallable_Check(function)) {
    return tnp_raise_format(TENON_ERROR_TYPE,
                            "OverridableFunction: function must be callable, got %s",
                            Py_TYPE(function)->tp_name);
  }
  return make(type, function, NULL);
}

PyObject* tnp_bind_method(PyObject* self, PyObject* object, PyObject* type) {
  (void)type;
  if (object == NULL || object == Py_None) return Py_NewRef(self);
  return PyMethod_New(self, object);
}

static int traverse(PyObject* object, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(((overridable*)object)->target);
  Py_VISIT(((overridable*)object)->dict);
  return 0;
}

static int clear(PyObject* object) {
  Py_CLEAR(((overridable*)object)->dict);
  return 0;
}

static void dealloc(PyObject* object) {
  overridable* self = (overridable*)object;
  PyTypeObject* type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  if (self->weakrefs != NULL) PyObject_ClearWeakRefs(object);
  Py_XDECREF(self->target);
  Py_XDECREF(self->dict);
  type->tp_free(object);
  Py_DECREF(type);
}

/* Falls back to the target's attributes: name, documentation, signature, overloads. */
PyObject* tnp_getattr_else(PyObject* object, PyObject* name, PyObject* target) {
  PyObject* value = PyObject_GenericGetAttr(object, name);
  if (value != NULL || !PyErr_ExceptionMatches(PyExc_AttributeError)) return value;
  PyErr_Clear();
  return PyObject_GetAttr(target, name);
}

static PyObject* get_attribute(PyObject* object, PyObject* name) {
  return tnp_getattr_else(object, name, ((overridable*)object)->target);
}

static PyObject* get_target_attribute(PyObject* object, void* name) {
  PyObject* dict = ((overridable*)object)->dict;
  PyObject* own = dict != NULL ? PyDict_GetItemString(dict, name) : NULL;
  return own != NULL ? Py_NewRef(own)
                     : PyObject_GetAttrString(((overridable*)object)->target, name);
}

/* Returns the package as the module of functions written in C, instead of the extension. */
static PyObject* get_module(PyObject* object, void* name) {
  const bool of_c = PyCFunction_Check(((overridable*)object)->target);
  return of_c ? PyUnicode_FromString("tenon") : get_target_attribute(object, name);
}

static PyObject* repr(PyObject* object) {
  return PyUnicode_FromFormat("<overridable %R>", ((overridable*)object)->target);
}

/* Pickles by name, as functions do; methods are attributes of Tensor. */
static PyObject* reduce(PyObject* object, PyObject* unused) {
  (void)unused;
  PyObject* name = PyObject_GetAttrString(object, "__name__");
  PyObject* method = name ? PyObject_GetAttr((PyObject*)tnp_tensor_type, name) : NULL;
  PyObject* result = NULL;
  if (method == object) {
    PyObject* get = PyMapping_GetItemString(PyEval_GetBuiltins(), "getattr");
    result = get ? Py_BuildValue("N(OO)", get, (PyObject*)tnp_tensor_type, name) : NULL;
  } else {
    PyErr_Clear();
    result = PyObject_GetAttrString(object, "__qualname__");
  }
  Py_XDECREF(method);
  Py_XDECREF(name);
  return result;
}

static PyGetSetDef getset[] = {
    {"__doc__", get_target_attribute, NULL, NULL, "__doc__"},
    {"__module__", get_module, NULL, NULL, "__module__"},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL}};
static PyMethodDef methods[] = {{"__reduce__", reduce, METH_NOARGS, NULL}, {NULL, NULL, 0, NULL}};
static PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(overridable, vectorcall), READONLY, NULL},
    {"__dictoffset__", T_PYSSIZET, offsetof(overridable, dict), READONLY, NULL},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(overridable, weakrefs), READONLY, NULL},
    {"__wrapped__", T_OBJECT_EX, offsetof(overridable, target), READONLY, NULL},
    {NULL, 0, 0, 0, NULL}};
static PyType_Slot slots[] = {{Py_tp_new, overridable_new},    {Py_tp_dealloc, dealloc},
                              {Py_tp_traverse, traverse},      {Py_tp_clear, clear},
                              {Py_tp_call, PyVectorcall_Call}, {Py_tp_descr_get, tnp_bind_method},
                              {Py_tp_getattro, get_attribute}, {Py_tp_repr, repr},
                              {Py_tp_members, members},        {Py_tp_methods, methods},
                              {Py_tp_getset, getset},          {0, NULL}};
static PyType_Spec spec = {"tenon.overrides.OverridableFunction", sizeof(overridable), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_HAVE_GC |
                               Py_TPFLAGS_METHOD_DESCRIPTOR,
                           slots};

/* ---- Attributes ------------------------------------------------------------------------------ */

/* A C attribute before it became overridable; never freed, like its class. */
typedef struct {
  PyGetSetDef installed; /* the getter and setter that its descriptor has now */
  const PyGetSetDef* plain;
  PyObject* descriptor; /* borrowed from the class */
} attribute;

static PyObject* ask_attribute(const attribute* self, const char* how, PyObject* object,
                               PyObject* value) {
  PyObject* func = PyObject_GetAttrString(self->descriptor, how);
  PyObject* args[2] = {object, value};
  PyObject* result =
      func != NULL ? tnp_call_handlers(func, args, value != NULL ? 2 : 1, NULL) : NULL;
  Py_XDECREF(func);
  return result;
}

static PyObject* get_overridable(PyObject* object, void* closure) {
  const attribute* self = closure;
  if (TNP_UNLIKELY(tnp_has_handler(&object, 1)))
    return ask_attribute(self, "__get__", object, NULL);
  return self->plain->get(object, self->plain->closure);
}

static int set_overridable(PyObject* object, PyObject* value, void* closure) {
  const attribute* self = closure;
  PyObject* args[2] = {object, value};
  if (TNP_UNLIKELY(tnp_has_handler(args, value != NULL ? 2 : 1))) {
    PyObject* done = ask_attribute(self, value != NULL ? "__set__" : "__delete__", object, value);
    Py_XDECREF(done);
    return done != NULL ? 0 : -1;
  }
  return self->plain->set(object, value, self->plain->closure);
}

static int cover_attribute(PyObject* descriptor) {
  PyGetSetDef** place = &((PyGetSetDescrObject*)descriptor)->d_getset;
  attribute* self = PyMem_RawCalloc(1, sizeof *self);
  if (self == NULL) return PyErr_NoMemory(), -1;
  self->plain = *place;
  self->descriptor = descriptor;
  self->installed = **place;
  self->installed.closure = self;
  if (self->plain->get != NULL) self->installed.get = get_overridable;
  if (self->plain->set != NULL) self->installed.set = set_overridable;
  *place = &self->installed;
  return 0;
}

/* ---- The class Tensor ------------------------------------------------------------------------ */

/* Returns true for attributes that handlers need to serve any call, or that do not depend on the
 * tensor's elements. */
static bool is_left_out(PyObject* name) {
  static const char* const names[] = {"__dict__", "as_subclass", "_storage_ptr", "_storage_address",
                                      "_storage_nbytes"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (PyUnicode_CompareWithASCIIString(name, names[i]) == 0) return true;
  }
  return false;
}

int tnp_make_tensor_overridable(void) {
  PyObject* dict = tnp_tensor_type->tp_dict;
  PyObject* names = PyDict_Keys(dict);
  int status = names != NULL ? 0 : -1;
  for (Py_ssize_t i = 0; status == 0 && i < PyList_GET_SIZE(names); i++) {
    PyObject* name = PyList_GET_ITEM(names, i);
    PyObject* member = PyDict_GetItemWithError(dict, name);
    if (member == NULL || is_left_out(name)) continue;
    if (Py_TYPE(member) == &PyGetSetDescr_Type) {
      status = cover_attribute(member);
    } else if (Py_TYPE(member) == &PyMethodDescr_Type) {
      PyObject* method = make(overridable_type, member, NULL);
      status = method != NULL ? PyDict_SetItem(dict, name, method) : -1;
      Py_XDECREF(method);
    }
  }
  Py_XDECREF(names);
  PyType_Modified(tnp_tensor_type);
  return status;
}

/* Creates a property with overridable functions; handlers receive `property.__get__`. */
static PyObject* overridable_property(PyObject* module, PyObject* getter) {
  (void)module;
  PyObject* function = make(overridable_type, getter, NULL);
  PyObject* property =
      function != NULL ? PyObject_CallOneArg((PyObject*)&PyProperty_Type, function) : NULL;
  if (property != NULL) {
    ((overridable*)function)->func = PyObject_GetAttrString(property, "__get__");
    if (((overridable*)function)->func == NULL) Py_CLEAR(property);
  }
  Py_XDECREF(function);
  return property;
}

static PyMethodDef functions[] = {
    {"overridable_property", overridable_property, METH_O,
     "overridable_property(getter, /)\n--\n\nMakes a property that asks `__torch_function__`."},
    {NULL, NULL, 0, NULL}};

int tnp_overridable_init(PyObject* module) {
  if (PyModule_AddFunctions(module, functions) != 0) return -1;
  const bool first = overridable_type == NULL;
  if (tnp_add_type(module, &overridable_type, &spec, NULL) != 0) return -1;
  return first ? tnp_make_tensor_overridable() : 0;
}
