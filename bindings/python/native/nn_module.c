/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of tenon.nn.Module that run at every call and every parameter access. */
#include "native.h"

static PyTypeObject* module_type;
static PyObject* global_hooks; /* nn/modules/hooks.py: hooks of all modules */

/* Keys of a module's dict, created once. */
static struct {
  PyObject *parameters, *buffers, *modules, *forward, *call_with_hooks, *getattr, *getattribute;
  PyObject* hooks[4];
} names;

static int make_names(void) {
  static const char* const hooks[] = {"_forward_hooks", "_forward_pre_hooks", "_backward_hooks",
                                      "_backward_pre_hooks"};
  int status = 0;
  for (int i = 0; i < 4; i++) {
    names.hooks[i] = PyUnicode_InternFromString(hooks[i]);
    if (names.hooks[i] == NULL) status = -1;
  }
  names.parameters = PyUnicode_InternFromString("_parameters");
  names.buffers = PyUnicode_InternFromString("_buffers");
  names.modules = PyUnicode_InternFromString("_modules");
  names.forward = PyUnicode_InternFromString("forward");
  names.call_with_hooks = PyUnicode_InternFromString("_call_with_hooks");
  names.getattr = PyUnicode_InternFromString("__getattr__");
  names.getattribute = PyUnicode_InternFromString("__getattribute__");
  return status == 0 && !PyErr_Occurred() ? 0 : -1;
}

/* Returns an entry of a table in a module's dict, borrowed; NULL, with or without an exception, if
 * there is none. */
static PyObject* find_in(PyObject* state, PyObject* table, PyObject* name) {
  PyObject* found = PyDict_GetItemWithError(state, table);
  return found != NULL && PyDict_Check(found) ? PyDict_GetItemWithError(found, name) : NULL;
}

/* Implements __getattr__(name), called if the normal lookup finds no attribute. */
static PyObject* get(PyObject* self, PyObject* name) {
  PyObject* state = PyObject_GenericGetDict(self, NULL);
  if (state == NULL) return NULL;
  PyObject* found = find_in(state, names.parameters, name);
  if (found == NULL && !PyErr_Occurred()) found = find_in(state, names.buffers, name);
  if (found == NULL && !PyErr_Occurred()) found = find_in(state, names.modules, name);
  Py_XINCREF(found);
  Py_DECREF(state);
  if (found == NULL && !PyErr_Occurred()) {
    PyErr_Format(PyExc_AttributeError, "%s: attribute must be one that it has, got %R",
                 Py_TYPE(self)->tp_name, name);
  }
  return found;
}

/* Looks up all attributes, including those of `get`. For a class with `__getattr__`, Python first
 * does a normal lookup that fails and creates an exception, for every parameter that is read; this
 * avoids it. */
static PyObject* get_any(PyObject* self, PyObject* name) {
  if (_PyType_Lookup(Py_TYPE(self), name) != NULL) {
    PyObject* found = PyObject_GenericGetAttr(self, name);
    if (found != NULL || !PyErr_ExceptionMatches(PyExc_AttributeError)) return found;
    PyErr_Clear(); /* raised by a property */
    return get(self, name);
  }
  PyObject* state = PyObject_GenericGetDict(self, NULL);
  if (state == NULL) return NULL;
  PyObject* found = Py_XNewRef(PyDict_GetItemWithError(state, name));
  Py_DECREF(state);
  return found != NULL || PyErr_Occurred() ? found : get(self, name);
}

/* Implements __init_subclass__(): installs get_any for classes that inherit Module's
 * `__getattr__`. */
static PyObject* init_subclass(PyObject* class, PyObject* args, PyObject* kwargs) {
  PyTypeObject* type = (PyTypeObject*)class;
  PyObject* ours = PyDict_GetItemWithError(module_type->tp_dict, names.getattr);
  const bool is_plain = ours != NULL && _PyType_Lookup(type, names.getattr) == ours &&
                        _PyType_Lookup(type, names.getattribute) ==
                            _PyType_Lookup(&PyBaseObject_Type, names.getattribute);
  if (is_plain) type->tp_getattro = get_any;
  if (PyErr_Occurred()) return NULL;
  /* Call __init_subclass__ of other bases, such as Generic and mixins. */
  PyObject* super =
      PyObject_CallFunctionObjArgs((PyObject*)&PySuper_Type, (PyObject*)module_type, class, NULL);
  PyObject* next = super ? PyObject_GetAttrString(super, "__init_subclass__") : NULL;
  PyObject* result = next ? PyObject_Call(next, args, kwargs) : NULL;
  Py_XDECREF(super);
  Py_XDECREF(next);
  return result;
}

/* Returns true if hooks of the module, or of all modules, apply to its calls; -1 with an
 * exception. */
static int is_watched(PyObject* self) {
  PyObject* state = PyObject_GenericGetDict(self, NULL);
  if (state == NULL) return -1;
  int watched = PyObject_IsTrue(global_hooks);
  for (int i = 0; watched == 0 && i < 4; i++) {
    PyObject* table = PyDict_GetItemWithError(state, names.hooks[i]);
    if (table != NULL) {
      watched = PyObject_IsTrue(table);
    } else {
      /* Module.__init__ was not called; the slow path reports it. */
      watched = PyErr_Occurred() ? -1 : 1;
    }
  }
  Py_DECREF(state);
  return watched;
}

/* Runs the hooks and `forward`. */
static PyObject* call(PyObject* self, PyObject* args, PyObject* kwargs) {
  enum { MOST = 8 };
  const int watched = is_watched(self);
  if (watched < 0) return NULL;
  if (watched) {
    PyObject* named = kwargs != NULL ? Py_NewRef(kwargs) : PyDict_New();
    PyObject* result =
        named ? PyObject_CallMethodObjArgs(self, names.call_with_hooks, args, named, NULL) : NULL;
    Py_XDECREF(named);
    return result;
  }
  const Py_ssize_t nargs = PyTuple_GET_SIZE(args);
  if ((kwargs == NULL || PyDict_GET_SIZE(kwargs) == 0) && nargs < MOST) {
    PyObject* given[MOST] = {self};
    for (Py_ssize_t i = 0; i < nargs; i++) given[i + 1] = PyTuple_GET_ITEM(args, i);
    return PyObject_VectorcallMethod(names.forward, given, (size_t)nargs + 1, NULL);
  }
  PyObject* forward = PyObject_GetAttr(self, names.forward);
  PyObject* result = forward ? PyObject_Call(forward, args, kwargs) : NULL;
  Py_XDECREF(forward);
  return result;
}

static PyMethodDef methods[] = {
    {"__getattr__", get, METH_O,
     "__getattr__($self, name, /)\n--\n\nThe parameter, buffer or module of that name."},
    {"__init_subclass__", (PyCFunction)(void (*)(void))init_subclass,
     METH_VARARGS | METH_KEYWORDS | METH_CLASS, NULL},
    {NULL, NULL, 0, NULL}};
static PyType_Slot slots[] = {{Py_tp_doc, "Base of tenon.nn.Module."},
                              {Py_tp_call, call},
                              {Py_tp_methods, methods},
                              {0, NULL}};
static PyType_Spec spec = {"tenon.nn.ModuleBase", sizeof(PyObject), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};

static PyObject* set_global_hooks(PyObject* module, PyObject* table) {
  (void)module;
  Py_XSETREF(global_hooks, Py_NewRef(table));
  Py_RETURN_NONE;
}

static PyMethodDef functions[] = {{"_set_global_module_hooks", set_global_hooks, METH_O, NULL},
                                  {NULL, NULL, 0, NULL}};

int tnp_nn_module_init(PyObject* module) {
  if (make_names() != 0) return -1;
  if (global_hooks == NULL) global_hooks = Py_NewRef(Py_None);
  if (tnp_add_type(module, &module_type, &spec, NULL) != 0) return -1;
  return PyModule_AddFunctions(module, functions);
}
