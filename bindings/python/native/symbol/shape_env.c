/* SPDX-License-Identifier: Apache-2.0 */
/* ShapeEnv: creates symbols, and lists the guards that decisions about them recorded. */
#include "shape_env.h"

#include "symbol.h"

typedef struct {
  PyObject_HEAD tenon_shape_env* env; /* owned reference */
} tnp_shape_env;

static PyTypeObject* shape_env_type;

tenon_shape_env* tnp_shape_env_get(PyObject* object) {
  if (Py_TYPE(object) == shape_env_type) return ((tnp_shape_env*)object)->env;
  tnp_raise_format(TENON_ERROR_TYPE, "shape_env: must be ShapeEnv, got %s",
                   Py_TYPE(object)->tp_name);
  return NULL;
}

PyObject* tnp_shape_env_wrap(tenon_shape_env* env) {
  tnp_shape_env* self = (tnp_shape_env*)shape_env_type->tp_alloc(shape_env_type, 0);
  if (self == NULL) {
    tenon_shape_env_release(env);
    return NULL;
  }
  self->env = env;
  return (PyObject*)self;
}

static PyObject* env_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  (void)type;
  static char* names[] = {NULL};
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, ":ShapeEnv", names)) return NULL;
  tenon_shape_env* env;
  return tnp_check(tenon_shape_env_new(0, &env)) == 0 ? tnp_shape_env_wrap(env) : NULL;
}

static void env_dealloc(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  tenon_shape_env_release(((tnp_shape_env*)object)->env);
  type->tp_free(object);
  Py_DECREF(type);
}

static PyObject* env_print(PyObject* object) {
  tenon_buffer* text = NULL;
  if (tnp_check(tenon_shape_env_print(((tnp_shape_env*)object)->env, &text)) != 0) return NULL;
  return tnp_text(text);
}

static PyObject* env_size(PyObject* object, PyObject* hint) {
  long long number = PyLong_AsLongLong(hint);
  if (number == -1 && PyErr_Occurred()) return NULL;
  tenon_value size;
  if (tnp_check(tenon_shape_env_new_size(((tnp_shape_env*)object)->env, number, &size)) != 0) {
    return NULL;
  }
  PyObject* result = tnp_from_value(&size, true);
  tenon_value_clear(&size);
  return result;
}

static int bound_of(PyObject* object, int64_t none, int64_t* out) {
  *out = none;
  if (object == Py_None) return 0;
  *out = PyLong_AsLongLong(object);
  return *out == -1 && PyErr_Occurred() ? -1 : 0;
}

static PyObject* env_symbol(PyObject* object, PyObject* args, PyObject* kwargs) {
  static char* names[] = {"name", "hint", "min", "max", NULL};
  const char* name = NULL;
  PyObject *hint = Py_None, *low = Py_None, *high = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|z$OOO:new_symbol", names, &name, &hint, &low,
                                   &high)) {
    return NULL;
  }
  int64_t min, max, number = 0;
  if (bound_of(low, INT64_MIN, &min) != 0 || bound_of(high, INT64_MAX, &max) != 0 ||
      bound_of(hint, 0, &number) != 0) {
    return NULL;
  }
  const tenon_value value = tenon_value_of_int(number);
  tenon_symbol* symbol = NULL;
  if (tnp_check(tenon_symbol_new(((tnp_shape_env*)object)->env, TENON_TAG_SYMINT, name,
                                 hint == Py_None ? NULL : &value, min, max, &symbol)) != 0) {
    return NULL;
  }
  return tnp_symbol_wrap(symbol);
}

static PyObject* guard_object(const tenon_shape_guard* guard) {
  return Py_BuildValue("(szzi)", guard->text, guard->op, guard->file, (int)guard->line);
}

static PyObject* env_guards(PyObject* object, void* unused) {
  (void)unused;
  const tenon_shape_env* env = ((tnp_shape_env*)object)->env;
  int64_t count = tenon_shape_env_guard_count(env);
  PyObject* list = PyList_New((Py_ssize_t)count);
  for (int64_t k = 0; list != NULL && k < count; k++) {
    tenon_shape_guard guard = {.struct_size = sizeof guard};
    PyObject* item = NULL;
    if (tnp_check(tenon_shape_env_guard(env, k, &guard)) == 0) item = guard_object(&guard);
    tenon_buffer_release(guard.owner);
    if (item == NULL) {
      Py_CLEAR(list);
    } else {
      PyList_SET_ITEM(list, (Py_ssize_t)k, item);
    }
  }
  return list;
}

/* Reads values of variables from a dict of SymInt to int. */
static int read_numbers(PyObject* dict, const tenon_symbol** variables, int64_t* numbers) {
  PyObject *key, *value;
  Py_ssize_t position = 0, k = 0;
  while (PyDict_Next(dict, &position, &key, &value)) {
    if (!tnp_is_symbol(key)) {
      tnp_raise_format(TENON_ERROR_TYPE, "numbers: keys must be SymInt, got %s",
                       Py_TYPE(key)->tp_name);
      return -1;
    }
    variables[k] = tnp_symbol_get(key);
    numbers[k] = PyLong_AsLongLong(value);
    if (numbers[k++] == -1 && PyErr_Occurred()) return -1;
  }
  return 0;
}

static PyObject* failure_of(const tenon_shape_env* env, const tenon_symbol* const* variables,
                            const int64_t* numbers, int64_t count) {
  int32_t holds;
  tenon_buffer* failure = NULL;
  if (tnp_check(tenon_shape_env_check(env, variables, numbers, count, &holds, &failure)) != 0) {
    return NULL;
  }
  if (failure == NULL) Py_RETURN_NONE;
  return tnp_text(failure);
}

static PyObject* env_check(PyObject* object, PyObject* dict) {
  if (!PyDict_Check(dict)) {
    return tnp_raise_format(TENON_ERROR_TYPE, "first_failure: numbers must be a dict, got %s",
                            Py_TYPE(dict)->tp_name);
  }
  const size_t count = (size_t)PyDict_GET_SIZE(dict);
  const tenon_symbol** variables = PyMem_Calloc(count + 1, sizeof *variables);
  int64_t* numbers = PyMem_Calloc(count + 1, sizeof *numbers);
  PyObject* result = NULL;
  if (variables == NULL || numbers == NULL) {
    PyErr_NoMemory();
  } else if (read_numbers(dict, variables, numbers) == 0) {
    result = failure_of(((tnp_shape_env*)object)->env, variables, numbers, (int64_t)count);
  }
  PyMem_Free(variables);
  PyMem_Free(numbers);
  return result;
}

static PyMethodDef env_methods[] = {
    {"new_size", env_size, METH_O,
     "new_size(hint, /)\n--\n\nReturns hint for 0 and 1, else a SymInt that is 2 or more."},
    {"new_symbol", (PyCFunction)(void (*)(void))env_symbol, METH_VARARGS | METH_KEYWORDS,
     "new_symbol(name=None, *, hint=None, min=None, max=None)\n--\n\nReturns a new SymInt; "
     "without hint only data tells what it is."},
    {"first_failure", env_check, METH_O,
     "first_failure(numbers, /)\n--\n\nReturns the first guard that fails where numbers, a dict, "
     "stand for symbols; None where all hold."},
    {NULL, NULL, 0, NULL}};
static PyGetSetDef env_getset[] = {
    {"guards", env_guards, NULL, "(text, operator, file, line) of each guard.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};
static PyType_Slot env_slots[] = {
    {Py_tp_doc, "ShapeEnv()\n--\n\nOwns symbols and the guards by which they were decided."},
    {Py_tp_new, env_new},
    {Py_tp_dealloc, env_dealloc},
    {Py_tp_str, env_print},
    {Py_tp_methods, env_methods},
    {Py_tp_getset, env_getset},
    {0, NULL}};
static PyType_Spec env_spec = {"tenon.ShapeEnv", sizeof(tnp_shape_env), 0, Py_TPFLAGS_DEFAULT,
                               env_slots};

int tnp_shape_env_ready(PyObject* module) {
  shape_env_type = (PyTypeObject*)PyType_FromSpec(&env_spec);
  if (shape_env_type == NULL) return -1;
  return PyModule_AddObjectRef(module, "ShapeEnv", (PyObject*)shape_env_type);
}
