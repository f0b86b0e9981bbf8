/* SPDX-License-Identifier: Apache-2.0 */
/* Python objects as boxed values, and objects of other languages as Python objects. */
#include "overrides.h"
#include "value.h"

typedef struct {
  tenon_object_type type;
  char name[];
} carried_type;

static PyObject* carried_types; /* type -> capsule of carried_type, never freed */

const tenon_object_type* tnp_carried_type(PyTypeObject* python) {
  if (carried_types == NULL && (carried_types = PyDict_New()) == NULL) return NULL;
  PyObject* known = PyDict_GetItemWithError(carried_types, (PyObject*)python);
  if (known != NULL) return PyCapsule_GetPointer(known, NULL);
  if (PyErr_Occurred()) return NULL;
  PyObject* module = PyObject_GetAttrString((PyObject*)python, "__module__");
  if (module == NULL) PyErr_Clear();
  const char* prefix = module && PyUnicode_Check(module) ? PyUnicode_AsUTF8(module) : "builtins";
  const char* name = strrchr(python->tp_name, '.');
  name = name ? name + 1 : python->tp_name;
  size_t size = strlen(prefix) + strlen(name) + 2;
  carried_type* type = PyMem_RawCalloc(1, sizeof *type + size);
  PyObject* capsule = type ? PyCapsule_New(type, NULL, NULL) : PyErr_NoMemory();
  if (capsule == NULL) {
    Py_XDECREF(module);
    PyMem_RawFree(type);
    return NULL;
  }
  bool builtin = strcmp(prefix, "builtins") == 0;
  PyOS_snprintf(type->name, size, "%s%s%s", builtin ? "" : prefix, builtin ? "" : ".", name);
  Py_XDECREF(module);
  type->type.struct_size = sizeof(tenon_object_type);
  type->type.language = TENON_LANGUAGE_PYTHON;
  type->type.name = type->name;
  type->type.release = tnp_reference_drop;
  if (python->tp_call != NULL) type->type.call = tnp_function_run;
  tnp_add_handlers(python, &type->type);
  PyTypeObject* base = python->tp_base;
  if (base != NULL && base != &PyBaseObject_Type && base != tnp_tensor_type) {
    type->type.base = tnp_carried_type(base); /* handlers of derived classes take precedence */
    if (type->type.base == NULL) {
      Py_DECREF(capsule);
      return NULL;
    }
  }
  int stored = PyDict_SetItem(carried_types, (PyObject*)python, capsule);
  Py_DECREF(capsule);
  return stored == 0 ? &type->type : NULL;
}

PyObject* tnp_carried_get(void* self) { return ((tnp_reference*)self)->object; }

void* tnp_carry(PyObject* object) {
  tnp_reference* self = tnp_reference_make(object);
  return self != NULL ? (void*)self : PyErr_NoMemory();
}

/* The Python object for an object of another language. */
typedef struct {
  PyObject_HEAD tenon_object* object;
} foreign;
static PyTypeObject* foreign_type;
static PyTypeObject* function_type; /* subtype for objects that can be called */

bool tnp_is_foreign(PyObject* object) {
  return Py_TYPE(object) == foreign_type || Py_TYPE(object) == function_type;
}

PyObject* tnp_object_open(tenon_object* object) {
  const tenon_object_type* type = tenon_object_get_type(object);
  if (type->language == TENON_LANGUAGE_PYTHON && type->release == tnp_reference_drop) {
    PyObject* python = ((tnp_reference*)tenon_object_self(object))->object;
    Py_INCREF(python);
    return python;
  }
  foreign* self = PyObject_New(foreign, type->call != NULL ? function_type : foreign_type);
  if (self != NULL) self->object = tenon_object_retain(object);
  return (PyObject*)self;
}

tenon_object* tnp_foreign_get(PyObject* self) { return ((foreign*)self)->object; }

static void foreign_dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  tenon_object_release(((foreign*)self)->object);
  type->tp_free(self);
  Py_DECREF(type);
}

static PyObject* foreign_repr(PyObject* self) {
  const tenon_object_type* type = tenon_object_get_type(((foreign*)self)->object);
  return PyUnicode_FromFormat("<tenon object of type %s>", type->name);
}

static PyObject* foreign_name(PyObject* self, void* unused) {
  (void)unused;
  return PyUnicode_FromString(tenon_object_get_type(((foreign*)self)->object)->name);
}

static PyGetSetDef foreign_getset[] = {
    {"type_name", foreign_name, NULL, "Name of the object's type in its own language.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};
static PyType_Slot foreign_slots[] = {{Py_tp_doc, "An object of another language."},
                                      {Py_tp_dealloc, foreign_dealloc},
                                      {Py_tp_repr, foreign_repr},
                                      {Py_tp_getset, foreign_getset},
                                      {0, NULL}};
static PyType_Spec foreign_spec = {"tenon.ForeignObject", sizeof(foreign), 0,
                                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                   foreign_slots};

static PyType_Slot function_slots[] = {
    {Py_tp_doc,
     "A function of another language: function(*args, results=1).\n\n"
     "`results` is how many it returns: none as None, several as a tuple."},
    {Py_tp_dealloc, foreign_dealloc},
    {Py_tp_repr, foreign_repr},
    {Py_tp_getset, foreign_getset},
    {Py_tp_call, tnp_function_call},
    {0, NULL}};
static PyType_Spec function_spec = {"tenon.ForeignFunction", sizeof(foreign), 0,
                                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                    function_slots};

static void release_object(void* handle) { tenon_object_release(handle); }

int tnp_to_object(tnp_call* call, PyObject* object, uint16_t tag, tenon_value* out) {
  tenon_object* handle;
  if (tnp_is_foreign(object)) {
    handle = ((foreign*)object)->object; /* kept alive by the argument */
  } else {
    const tenon_object_type* type = tnp_carried_type(Py_TYPE(object));
    void* self = type ? tnp_carry(object) : NULL;
    if (self == NULL) return -1;
    if (tnp_check(tenon_object_new(type, self, &handle)) != 0) {
      tnp_reference_drop(self);
      return -1;
    }
    if (tnp_own(call, handle, release_object) != 0) return -1;
  }
  out->tag = tag;
  out->as.object = handle;
  return 0;
}

/* Returns true if a Python class matches a schema's class type "__torch__.torch.classes.ns.Name":
 * its name, or a base's, must end like it. An object of another language matches by its type's
 * name. */
bool tnp_class_matches(const char* text, PyObject* object) {
  size_t length = strcspn(text, "?");
  const char* last = text;
  for (const char* c = text; c < text + length; c++) {
    if (*c == '.') last = c + 1;
  }
  size_t size = (size_t)(text + length - last);
  if (tnp_is_foreign(object)) {
    const tenon_object_type* type = tenon_object_get_type(((foreign*)object)->object);
    for (; type != NULL; type = type->base) {
      const char* dot = strrchr(type->name, '.');
      const char* name = dot ? dot + 1 : type->name;
      if (strlen(name) == size && memcmp(name, last, size) == 0) return true;
    }
    return false;
  }
  PyObject* mro = Py_TYPE(object)->tp_mro;
  for (Py_ssize_t i = 0; mro != NULL && i < PyTuple_GET_SIZE(mro); i++) {
    const char* full = ((PyTypeObject*)PyTuple_GET_ITEM(mro, i))->tp_name;
    const char* dot = strrchr(full, '.');
    const char* name = dot ? dot + 1 : full;
    if (strlen(name) == size && memcmp(name, last, size) == 0) return true;
  }
  return false;
}

int tnp_value_init(PyObject* module) {
  if (tnp_add_type(module, &foreign_type, &foreign_spec, NULL) != 0) return -1;
  return tnp_add_type(module, &function_type, &function_spec, NULL);
}
