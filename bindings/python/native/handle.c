/* SPDX-License-Identifier: Apache-2.0 */
/* Handles of the flat layer: schemas, plugins, thread states, profiles and simulators as opaque
 * objects. */
#include "function_protocol.h"

PyTypeObject* tnp_handle_type;

static const struct {
  const char* name;
  void (*release)(void*);
} kinds[] = {
    {"schema", (void (*)(void*))(void (*)(void))tenon_schema_release},
    {"plugin", NULL},
    {"thread_state", (void (*)(void*))(void (*)(void))tenon_thread_state_release},
    {"registration", (void (*)(void*))(void (*)(void))tenon_registration_release},
    {"storage", (void (*)(void*))(void (*)(void))tenon_storage_release},
    {"profile", (void (*)(void*))(void (*)(void))tenon_profile_release},
    {"simulator", (void (*)(void*))(void (*)(void))tenon_simulator_release},
    {"layer", (void (*)(void*))(void (*)(void))tenon_layer_release},
    {"pullback", (void (*)(void*))(void (*)(void))tenon_pullback_release},
    {"graph", (void (*)(void*))(void (*)(void))tenon_graph_release},
};

PyObject* tnp_handle_new(int kind, void* pointer) {
  if (pointer == NULL) Py_RETURN_NONE;
  tnp_handle* self = PyObject_New(tnp_handle, tnp_handle_type);
  if (self == NULL) {
    if (kinds[kind].release != NULL) kinds[kind].release(pointer);
    return NULL;
  }
  self->pointer = pointer;
  self->kind = kind;
  self->has_modes = kind == TNP_HANDLE_THREAD_STATE && tnp_plain_type == NULL;
  if (self->has_modes) tnp_count_modes(1);
  return (PyObject*)self;
}

void* tnp_handle_get(PyObject* object, int kind) {
  if (Py_TYPE(object) != tnp_handle_type || ((tnp_handle*)object)->kind != kind) {
    return tnp_raise_format(
        TENON_ERROR_TYPE, "handle: argument must be a %s handle, got %s", kinds[kind].name,
        Py_TYPE(object) == tnp_handle_type ? kinds[((tnp_handle*)object)->kind].name
                                           : Py_TYPE(object)->tp_name);
  }
  void* pointer = ((tnp_handle*)object)->pointer;
  if (pointer == NULL) {
    tnp_raise_format(TENON_ERROR_STATE, "handle: the %s must be open, got a closed one",
                     kinds[kind].name);
  }
  return pointer;
}

static void handle_dealloc(PyObject* object) {
  tnp_handle* self = (tnp_handle*)object;
  PyTypeObject* type = Py_TYPE(object);
  if (self->pointer != NULL && kinds[self->kind].release != NULL) {
    kinds[self->kind].release(self->pointer);
  }
  if (self->has_modes) tnp_count_modes(-1);
  type->tp_free(object);
  Py_DECREF(type);
}

static PyObject* handle_repr(PyObject* object) {
  tnp_handle* self = (tnp_handle*)object;
  return PyUnicode_FromFormat("<%s handle at %p>", kinds[self->kind].name, self->pointer);
}

static PyObject* handle_compare(PyObject* a, PyObject* b, int op) {
  if (Py_TYPE(a) != Py_TYPE(b) || (op != Py_EQ && op != Py_NE)) Py_RETURN_NOTIMPLEMENTED;
  return PyBool_FromLong((((tnp_handle*)a)->pointer == ((tnp_handle*)b)->pointer) == (op == Py_EQ));
}

static Py_hash_t handle_hash(PyObject* object) {
  return (Py_hash_t)((uintptr_t)((tnp_handle*)object)->pointer >> 4);
}

static PyType_Slot slots[] = {{Py_tp_doc, "An opaque handle of the C interface."},
                              {Py_tp_dealloc, handle_dealloc},
                              {Py_tp_repr, handle_repr},
                              {Py_tp_richcompare, handle_compare},
                              {Py_tp_hash, handle_hash},
                              {0, NULL}};
static PyType_Spec spec = {"tenon._tenon.Handle", sizeof(tnp_handle), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

/* ---- Schemas, in detail ---------------------------------------------------------------------- */

/* Returns (name, type, alias, has_default, default, kwarg_only, is_out, written, N of T[N] or -1)
 * for each argument or result. */
static PyObject* describe(const tenon_schema* schema, bool returns) {
  int64_t count = returns ? tenon_schema_return_count(schema) : tenon_schema_argument_count(schema);
  PyObject* list = PyList_New((Py_ssize_t)count);
  for (int64_t i = 0; list != NULL && i < count; i++) {
    tenon_argument_info info = {.struct_size = sizeof info};
    tenon_status status = returns ? tenon_schema_get_return(schema, i, &info)
                                  : tenon_schema_get_argument(schema, i, &info);
    PyObject* item = NULL;
    PyObject* value = NULL;
    if (tnp_check(status) == 0) {
      if (info.default_value != NULL) {
        tenon_value borrowed = *info.default_value;
        value = tnp_from_value(&borrowed, false);
      } else {
        Py_INCREF(Py_None);
        value = Py_None;
      }
    }
    if (value != NULL) {
      item = Py_BuildValue("(sssONOOOL)", info.name, info.type_text, info.alias_text,
                           info.default_value ? Py_True : Py_False, value,
                           info.flags & TENON_ARGUMENT_KWARG_ONLY ? Py_True : Py_False,
                           info.flags & TENON_ARGUMENT_OUT ? Py_True : Py_False,
                           info.flags & TENON_ARGUMENT_WRITTEN ? Py_True : Py_False,
                           (long long)info.list_size);
    }
    if (item == NULL)
      Py_CLEAR(list);
    else
      PyList_SET_ITEM(list, (Py_ssize_t)i, item);
  }
  return list;
}

static PyObject* schema_arguments(PyObject* module, PyObject* handle) {
  (void)module;
  tenon_schema* schema = tnp_handle_get(handle, TNP_HANDLE_SCHEMA);
  return schema ? describe(schema, false) : NULL;
}

static PyObject* schema_returns(PyObject* module, PyObject* handle) {
  (void)module;
  tenon_schema* schema = tnp_handle_get(handle, TNP_HANDLE_SCHEMA);
  return schema ? describe(schema, true) : NULL;
}

static PyMethodDef methods[] = {{"schema_arguments", schema_arguments, METH_O, NULL},
                                {"schema_returns", schema_returns, METH_O, NULL},
                                {NULL, NULL, 0, NULL}};

int tnp_handle_init(PyObject* module) {
  if (PyModule_AddFunctions(module, methods) != 0) return -1;
  return tnp_add_type(module, &tnp_handle_type, &spec, NULL);
}
