/* SPDX-License-Identifier: Apache-2.0 */
/* Named results such as `max(x, 0).values`: a named tuple of an operator's results. */
#include "native.h"

/* "max(values,indices)" -> type. Operators with the same key share a type. */
static PyObject* types;

/* Returns the key of a schema's type and stores the names of its results; NULL without an exception
 * if some result has no name. */
static char* key_of(tenon_schema* schema, uint32_t count, const char** names) {
  const char* full = tenon_schema_name(schema);
  const char* colon = full ? strrchr(full, ':') : NULL;
  const char* base = colon ? colon + 1 : full;
  if (base == NULL) return NULL;
  size_t length = strcspn(base, ".") + 2;
  for (uint32_t i = 0; i < count; i++) {
    tenon_argument_info info = {.struct_size = sizeof info};
    if (tenon_schema_get_return(schema, i, &info) != TENON_OK) {
      tenon_error_release(tenon_error_take());
      return NULL;
    }
    if (info.name == NULL || info.name[0] == '\0') return NULL;
    names[i] = info.name;
    length += strlen(info.name) + 1;
  }
  char* key = PyMem_Malloc(length + 1);
  if (key == NULL) return NULL;
  size_t at = strcspn(base, ".");
  memcpy(key, base, at);
  /* In-place and out variants share the type of the functional one. */
  if (at > 1 && key[at - 1] == '_' && key[0] != '_') at--;
  key[at] = '\0';
  for (uint32_t i = 0; i < count; i++) {
    strcat(key, i == 0 ? "(" : ",");
    strcat(key, names[i]);
  }
  strcat(key, ")");
  return key;
}

/* Creates a type. Its field names are never freed, like the type itself. */
static PyObject* new_type(const char* key, uint32_t count, const char** names) {
  size_t base = strcspn(key, "(");
  size_t length = sizeof "tenon.return_types." + base;
  for (uint32_t i = 0; i < count; i++) length += strlen(names[i]) + 1;
  char* text = PyMem_Malloc(length);
  PyStructSequence_Field* fields = PyMem_Calloc(count + 1, sizeof *fields);
  if (text == NULL || fields == NULL) {
    PyMem_Free(text);
    PyMem_Free(fields);
    return PyErr_NoMemory();
  }
  int begin = sprintf(text, "tenon.return_types.%.*s", (int)base, key) + 1;
  char* at = text + begin;
  for (uint32_t i = 0; i < count; i++) {
    fields[i].name = strcpy(at, names[i]);
    at += strlen(names[i]) + 1;
  }
  PyStructSequence_Desc description = {text, "Results of an operator.", fields, (int)count};
  PyObject* type = (PyObject*)PyStructSequence_NewType(&description);
  PyMem_Free(fields);
  if (type == NULL) PyMem_Free(text);
  return type;
}

PyTypeObject* tnp_results_type(tenon_schema* schema, uint32_t count) {
  enum { kMost = 16 };
  const char* names[kMost];
  if (count < 2 || count > kMost) return NULL;
  char* key = key_of(schema, count, names);
  if (key == NULL) return NULL;
  if (types == NULL) types = PyDict_New();
  PyObject* type = types ? PyDict_GetItemString(types, key) : NULL;
  if (type != NULL) {
    Py_INCREF(type);
  } else if (types != NULL && (type = new_type(key, count, names)) != NULL &&
             PyDict_SetItemString(types, key, type) != 0) {
    Py_CLEAR(type);
  }
  PyMem_Free(key);
  return (PyTypeObject*)type;
}

PyObject* tnp_name_results(const tnp_binding* binding, PyObject* result) {
  if (TNP_LIKELY(binding->results == NULL) || result == NULL || !PyTuple_CheckExact(result)) {
    return result;
  }
  PyObject* named = PyStructSequence_New(binding->results);
  for (Py_ssize_t i = 0; named != NULL && i < PyTuple_GET_SIZE(result); i++) {
    PyStructSequence_SET_ITEM(named, i, Py_NewRef(PyTuple_GET_ITEM(result, i)));
  }
  Py_DECREF(result);
  return named;
}
