/* SPDX-License-Identifier: Apache-2.0 */
/* Other argument forms that PyTorch's functions accept: numpy's keyword names, `out=None`, integers
 * given one by one, tensors of one element as numbers, and numbers before tensors. Tried only after
 * the arguments matched no overload, so calls in the schema's own form pay nothing. */
#include "binding.h"
#include "symbol.h"
#include "value.h"

/* The arguments of one call in schema order; new references. */
typedef struct {
  const tnp_binding* binding;
  PyObject** slots;        /* one per argument, NULL if not given */
  PyObject* requires_grad; /* borrowed; NULL if not given */
  bool changed;            /* some argument was converted from another form */
} formed;

static bool is_text(PyObject* name, const char* text) {
  return PyUnicode_CompareWithASCIIString(name, text) == 0;
}

static uint32_t find(const tnp_binding* b, PyObject* name) {
  for (uint32_t i = 0; i < b->nargs; i++) {
    if (PyUnicode_Compare(b->args[i].name, name) == 0) return i;
  }
  return UINT32_MAX;
}

static uint32_t find_text(const tnp_binding* b, const char* name) {
  for (uint32_t i = 0; i < b->nargs; i++) {
    if (is_text(b->args[i].name, name)) return i;
  }
  return UINT32_MAX;
}

/* Returns the argument for which a keyword is an alias, UINT32_MAX if there is none. */
static uint32_t find_alias(const tnp_binding* b, PyObject* name) {
  static const struct {
    const char *other, *name;
  } aliases[] = {{"axis", "dim"}, {"keepdims", "keepdim"}, {"input", "self"}, {"x", "self"},
                 {"a", "self"},   {"x1", "self"},          {"x2", "other"},   {"x", "input"}};
  for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++) {
    if (!is_text(name, aliases[i].other)) continue;
    uint32_t found = find_text(b, aliases[i].name);
    if (found != UINT32_MAX) return found;
  }
  return UINT32_MAX;
}

/* Returns true if the schema is a factory function's, which also accepts requires_grad. */
static bool is_factory(const tnp_binding* b) { return find_text(b, "pin_memory") != UINT32_MAX; }

/* ---- Numbers --------------------------------------------------------------------------------- */

/* Returns the element of a one-element tensor or array, like item(): a new reference. NULL without
 * an exception for other objects. */
static PyObject* element_of(PyObject* object, bool is_scalar) {
  if (TNP_IS_TENSOR(object)) {
    tenon_tensor* tensor = tnp_tensor_get(object);
    if (tensor == NULL) return NULL;
    const int64_t ndim = tenon_tensor_ndim(tensor);
    if (tenon_tensor_numel(tensor) != 1 || (is_scalar && ndim != 0)) return NULL;
    if (is_scalar && tenon_tensor_requires_grad(tensor)) return NULL;
  } else if (tnp_is_ndarray(object)) {
    Py_ssize_t size = -1;
    PyObject* count = PyObject_GetAttrString(object, "size");
    if (count != NULL) size = PyLong_AsSsize_t(count);
    Py_XDECREF(count);
    if (size != 1) return PyErr_Clear(), NULL;
  } else {
    return NULL;
  }
  return PyObject_CallMethod(object, "item", NULL);
}

/* Returns the integer in a one-element tensor or array: a new reference. NULL without an exception
 * if it has none. */
static PyObject* integer_of(PyObject* object) {
  PyObject* number = element_of(object, false);
  if (number != NULL && (!PyLong_Check(number) || PyBool_Check(number))) Py_CLEAR(number);
  return number;
}

static bool is_integer(PyObject* object) {
  if (PyBool_Check(object)) return false;
  if (PyLong_Check(object)) return true;
  if (!TNP_IS_TENSOR(object) && !tnp_is_ndarray(object)) {
    const PyNumberMethods* number = Py_TYPE(object)->tp_as_number;
    return number != NULL && number->nb_index != NULL;
  }
  PyObject* number = integer_of(object);
  bool is_one = number != NULL;
  Py_XDECREF(number);
  PyErr_Clear();
  return is_one;
}

static bool is_number(PyObject* object) {
  return (PyLong_Check(object) || PyFloat_Check(object) || PyComplex_Check(object)) &&
         !PyBool_Check(object);
}

/* ---- One argument ---------------------------------------------------------------------------- */

/* Converts integers to a tuple of ints: a new reference. NULL without an exception if the object
 * holds anything else. */
static PyObject* integers_of(PyObject* object, bool* changed) {
  PyObject* items = PySequence_Tuple(object);
  if (items == NULL) return PyErr_Clear(), NULL;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items); i++) {
    PyObject* item = PyTuple_GET_ITEM(items, i);
    if (!TNP_IS_TENSOR(item) && !tnp_is_ndarray(item)) continue;
    PyObject* number = integer_of(item);
    if (number == NULL) {
      Py_DECREF(items);
      return NULL;
    }
    *changed = true;
    PyTuple_SET_ITEM(items, i, number);
    Py_DECREF(item);
  }
  return items;
}

/* Converts one argument to a form that its type accepts. Returns 0, or -1 with an exception. */
static int form_argument(formed* f, uint32_t i, PyObject* object) {
  const tnp_argument* argument = &f->binding->args[i];
  PyObject* made = NULL;
  bool changed = false;
  switch (argument->type.conv) {
    case TNP_CONV_INT_LIST:
      if (object == Py_None && !argument->type.optional && argument->has_default) {
        f->changed = true; /* the default means all dims */
        return 0;
      }
      if (is_integer(object)) {
        PyObject* number = PyLong_Check(object) ? Py_NewRef(object) : integer_of(object);
        made = number == NULL                 ? NULL
               : argument->type.list_size > 0 ? Py_NewRef(number)
                                              : PyTuple_Pack(1, number);
        changed = number != NULL && (number != object || argument->type.list_size <= 0);
        Py_XDECREF(number);
      } else if (PyList_Check(object) || PyTuple_Check(object)) {
        made = integers_of(object, &changed);
      }
      break;
    case TNP_CONV_TENSOR_LIST:
      if (!PyList_Check(object) && !PyTuple_Check(object) && !TNP_IS_TENSOR(object) &&
          !PyUnicode_Check(object) && !PyDict_Check(object) && PySequence_Check(object)) {
        made = PySequence_Tuple(object);
        changed = made != NULL;
      }
      break;
    case TNP_CONV_SCALAR:
      made = element_of(object, true);
      changed = made != NULL;
      break;
    case TNP_CONV_INT:
      made = integer_of(object);
      changed = made != NULL;
      break;
    case TNP_CONV_FLOAT:
      if (tnp_is_ndarray(object)) made = element_of(object, true);
      changed = made != NULL;
      break;
    default:
      break;
  }
  if (made == NULL && PyErr_Occurred()) return -1;
  f->changed = f->changed || changed;
  f->slots[i] = made != NULL ? made : Py_NewRef(object);
  return 0;
}

/* ---- Positions ------------------------------------------------------------------------------- */

/* Returns the number of keyword-only arguments that are numbers, such as alpha. */
static uint32_t count_scalars(const tnp_binding* b) {
  uint32_t count = 0;
  for (uint32_t i = b->npositional; i < b->nargs; i++) {
    count += b->args[i].type.conv == TNP_CONV_SCALAR;
  }
  return count;
}

/* Handles numbers before tensors, as in `x.add_(2, y)` and `x.addmm(1, 2, a, b)`: they are the
 * keyword-only arguments, in order. Returns 1 if done, 0 for another form, -1 with an exception. */
static int form_numbers_first(formed* f, PyObject* const* args, Py_ssize_t nargs) {
  const tnp_binding* b = f->binding;
  const Py_ssize_t extra = nargs - (Py_ssize_t)b->npositional;
  if (extra <= 0 || extra > (Py_ssize_t)count_scalars(b)) return 0;
  Py_ssize_t numbers = 0;
  for (Py_ssize_t i = 0; i < nargs; i++) numbers += is_number(args[i]);
  if (numbers != extra || is_number(args[nargs - 1])) return 0;
  uint32_t scalar = b->npositional, position = 0;
  for (Py_ssize_t i = 0; i < nargs; i++) {
    if (is_number(args[i])) {
      while (b->args[scalar].type.conv != TNP_CONV_SCALAR) scalar++;
      f->slots[scalar++] = Py_NewRef(args[i]);
    } else if (form_argument(f, position++, args[i]) != 0) {
      return -1;
    }
  }
  f->changed = true;
  return 1;
}

/* Returns the position from which integers given one by one form the last list argument, -1 if
 * there are none. */
static Py_ssize_t find_integers(const tnp_binding* b, PyObject* const* args, Py_ssize_t nargs) {
  for (uint32_t i = 0; i < b->npositional; i++) {
    if (b->args[i].type.conv != TNP_CONV_INT_LIST) continue;
    if (nargs <= (Py_ssize_t)i + 1 || i + 1 != b->npositional) return -1;
    for (Py_ssize_t k = i; k < nargs; k++) {
      if (!is_integer(args[k]) && !tnp_is_symbol(args[k])) return -1;
    }
    return (Py_ssize_t)i;
  }
  return -1;
}

/* Like form_argument, for all positional arguments. Returns 1 if they do not match, -1 with an
 * exception. */
static int form_positions(formed* f, PyObject* const* args, Py_ssize_t nargs) {
  const tnp_binding* b = f->binding;
  int done = form_numbers_first(f, args, nargs);
  if (done != 0) return done < 0 ? -1 : 0;
  Py_ssize_t first = find_integers(b, args, nargs);
  if (first >= 0) {
    PyObject* list = PyTuple_New(nargs - first);
    for (Py_ssize_t k = first; list != NULL && k < nargs; k++) {
      PyTuple_SET_ITEM(list, k - first, Py_NewRef(args[k]));
    }
    if (list == NULL || form_argument(f, (uint32_t)first, list) != 0) {
      Py_XDECREF(list);
      return -1;
    }
    Py_DECREF(list);
    f->changed = true;
    nargs = first;
  }
  if (nargs > (Py_ssize_t)b->npositional) return 1;
  for (Py_ssize_t i = 0; i < nargs; i++) {
    if (form_argument(f, (uint32_t)i, args[i]) != 0) return -1;
  }
  return 0;
}

/* Splits several results given as one `out`, a tuple or list, into the arguments that the schema
 * writes. Returns 0, 1 if they do not match, -1 with an exception. */
static int form_outs(formed* f, PyObject* outs) {
  const tnp_binding* b = f->binding;
  if (!PyTuple_Check(outs) && !PyList_Check(outs)) return 1;
  if (b->nrets < 2 || PySequence_Fast_GET_SIZE(outs) != (Py_ssize_t)b->nrets) return 1;
  for (uint32_t i = 0; i < b->nrets; i++) {
    const int64_t written = b->rets[i].aliased;
    if (written < 0 || f->slots[written] != NULL) return 1;
    PyObject* out = PySequence_Fast_GET_ITEM(outs, (Py_ssize_t)i);
    if (form_argument(f, (uint32_t)written, out) != 0) return -1;
  }
  f->changed = true;
  return 0;
}

static int form_keywords(formed* f, PyObject* const* values, PyObject* kwnames) {
  const tnp_binding* b = f->binding;
  Py_ssize_t count = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
  for (Py_ssize_t k = 0; k < count; k++) {
    PyObject* name = PyTuple_GET_ITEM(kwnames, k);
    uint32_t i = find(b, name);
    if (i == UINT32_MAX) {
      if (is_text(name, "out") && values[k] == Py_None) {
        f->changed = true;
        continue;
      }
      if (is_text(name, "out")) {
        const int done = form_outs(f, values[k]);
        if (done != 0) return done;
        continue;
      }
      if (is_text(name, "requires_grad") && is_factory(b)) {
        f->requires_grad = values[k];
        f->changed = true;
        continue;
      }
      i = find_alias(b, name);
      if (i == UINT32_MAX) return 1;
      f->changed = true;
    }
    if (f->slots[i] != NULL) return 1;
    if (form_argument(f, i, values[k]) != 0) return -1;
  }
  return 0;
}

/* ---- The call -------------------------------------------------------------------------------- */

static PyObject* call_formed(const formed* f, tnp_op* op, PyObject* func, tnp_mismatch* why) {
  const tnp_binding* b = f->binding;
  PyObject** vector = PyMem_Calloc((size_t)b->nargs + 1, sizeof *vector);
  if (vector == NULL) return PyErr_NoMemory();
  uint32_t positional = 0, total = 0, named = 0;
  while (positional < b->npositional && f->slots[positional] != NULL) {
    vector[++total] = f->slots[positional++];
  }
  for (uint32_t i = positional; i < b->nargs; i++) named += f->slots[i] != NULL;
  PyObject* names = named > 0 ? PyTuple_New(named) : NULL;
  PyObject* result = NULL;
  if (named == 0 || names != NULL) {
    uint32_t next = 0;
    for (uint32_t i = positional; i < b->nargs; i++) {
      if (f->slots[i] == NULL) continue;
      vector[++total] = f->slots[i];
      PyTuple_SET_ITEM(names, next++, Py_NewRef(b->args[i].name));
    }
    result = tnp_op_try(op, func, NULL, vector + 1, positional | PY_VECTORCALL_ARGUMENTS_OFFSET,
                        names, why);
  }
  Py_XDECREF(names);
  PyMem_Free(vector);
  if (result != NULL && f->requires_grad != NULL && f->requires_grad != Py_False &&
      PyObject_SetAttrString(result, "requires_grad", f->requires_grad) != 0) {
    Py_CLEAR(result);
  }
  return result;
}

static PyObject* try_op(tnp_op* op, PyObject* func, PyObject* const* args, Py_ssize_t nargs,
                        PyObject* kwnames) {
  tnp_binding* b = op->binding;
  if (b == NULL || !b->takes_forms) return NULL;
  formed f = {.binding = b, .slots = PyMem_Calloc((size_t)b->nargs + 1, sizeof *f.slots)};
  if (f.slots == NULL) return PyErr_NoMemory();
  b->references++;
  PyObject* result = NULL;
  int done = form_positions(&f, args, nargs);
  if (done == 0) done = form_keywords(&f, args + nargs, kwnames);
  tnp_mismatch why = {.found = false};
  if (done == 0 && f.changed) result = call_formed(&f, op, func, &why);
  for (uint32_t i = 0; i < b->nargs; i++) Py_XDECREF(f.slots[i]);
  PyMem_Free(f.slots);
  tnp_binding_release(b);
  return result;
}

PyObject* tnp_call_forms(PyObject* const* ops, Py_ssize_t count, PyObject* func,
                         PyObject* const* args, size_t nargsf, PyObject* kwnames) {
  for (Py_ssize_t i = 0; i < count; i++) {
    PyObject* result = try_op((tnp_op*)ops[i], func, args, PyVectorcall_NARGS(nargsf), kwnames);
    if (result != NULL || PyErr_Occurred()) return result;
  }
  return NULL;
}
