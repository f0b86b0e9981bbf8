/* SPDX-License-Identifier: Apache-2.0 */
/* Factory functions from sizes, numbers or random numbers: empty, zeros, ones, full, rand, randn
 * and tensor. */
#include "native.h"

/* Returns sizes as one object: the list or tuple if only that was passed, otherwise a tuple of the
 * numbers. */
PyObject* tnp_sizes(PyObject* const* args, Py_ssize_t nargs) {
  if (nargs == 1 && (PyTuple_Check(args[0]) || PyList_Check(args[0]))) {
    Py_INCREF(args[0]);
    return args[0];
  }
  PyObject* sizes = PyTuple_New(nargs);
  for (Py_ssize_t i = 0; sizes != NULL && i < nargs; i++) {
    Py_INCREF(args[i]);
    PyTuple_SET_ITEM(sizes, i, args[i]);
  }
  return sizes;
}

#define MAX_OPTIONS 8

static Py_ssize_t find_keyword(PyObject* kwnames, const char* name) {
  Py_ssize_t count = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
  for (Py_ssize_t i = 0; i < count; i++) {
    if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(kwnames, i), name) == 0) return i;
  }
  return -1;
}

/* Sets requires_grad of a new tensor; takes over the reference. */
static PyObject* with_grad(PyObject* result, PyObject* wanted) {
  if (result == NULL || wanted == NULL || wanted == Py_False) return result;
  if (PyObject_SetAttrString(result, "requires_grad", wanted) != 0) Py_CLEAR(result);
  return result;
}

static PyObject* make(tnp_op_cache* known, PyObject* sizes, PyObject* fill,
                      PyObject* const* options, PyObject* kwnames);

/* Like make(), for a call with the keyword requires_grad, which no operator accepts. */
static PyObject* make_with_grad(tnp_op_cache* known, PyObject* sizes, PyObject* fill,
                                PyObject* const* options, PyObject* kwnames, Py_ssize_t at) {
  Py_ssize_t count = PyTuple_GET_SIZE(kwnames);
  PyObject* left[MAX_OPTIONS];
  PyObject* names = count <= MAX_OPTIONS ? PyTuple_New(count - 1) : NULL;
  if (names == NULL) {
    Py_XDECREF(sizes);
    if (PyErr_Occurred()) return NULL;
    return tnp_raise_format(TENON_ERROR_TYPE, "%s: keyword arguments must be at most %d, got %zd",
                            known->name, MAX_OPTIONS, count);
  }
  for (Py_ssize_t i = 0, next = 0; i < count; i++) {
    if (i == at) continue;
    left[next] = options[i];
    PyTuple_SET_ITEM(names, next++, Py_NewRef(PyTuple_GET_ITEM(kwnames, i)));
  }
  PyObject* result = make(known, sizes, fill, left, names);
  Py_DECREF(names);
  return with_grad(result, options[at]);
}

/* Calls an operator with sizes, an optional fill value, and the caller's keywords unchanged. */
static PyObject* make(tnp_op_cache* known, PyObject* sizes, PyObject* fill,
                      PyObject* const* options, PyObject* kwnames) {
  Py_ssize_t grad = find_keyword(kwnames, "requires_grad");
  if (TNP_UNLIKELY(grad >= 0)) {
    return make_with_grad(known, sizes, fill, options, kwnames, grad);
  }
  PyObject* op = sizes ? tnp_cached_op(known) : NULL;
  Py_ssize_t count = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
  PyObject* result = NULL;
  if (op != NULL && count > MAX_OPTIONS) {
    tnp_raise_format(TENON_ERROR_TYPE, "%s: keyword arguments must be at most %d, got %zd",
                     known->name, MAX_OPTIONS, count);
  } else if (op != NULL) {
    PyObject* vector[3 + MAX_OPTIONS] = {NULL, sizes, fill};
    size_t positional = fill ? 2 : 1;
    for (Py_ssize_t i = 0; i < count; i++) vector[1 + positional + (size_t)i] = options[i];
    result = ((tnp_op*)op)
                 ->vectorcall(op, vector + 1, positional | PY_VECTORCALL_ARGUMENTS_OFFSET, kwnames);
  }
  Py_XDECREF(sizes);
  return result;
}

/* Calls an operator with the caller's arguments unchanged, for sizes passed by name or a call with
 * `out`: binding converts them to the schema's form. */
static PyObject* call_unchanged(tnp_op_cache* known, PyObject* const* args, Py_ssize_t nargs,
                                PyObject* kwnames) {
  PyObject* op = tnp_cached_op(known);
  return op ? PyObject_Vectorcall(op, args, (size_t)nargs, kwnames) : NULL;
}

static bool is_by_name(Py_ssize_t nargs, PyObject* kwnames) {
  return nargs == 0 && find_keyword(kwnames, "size") >= 0;
}

static bool has_out(PyObject* kwnames) { return find_keyword(kwnames, "out") >= 0; }

static PyObject* empty(PyObject* module, PyObject* const* args, Py_ssize_t nargs,
                       PyObject* kwnames) {
  static tnp_op_cache op = {"aten::empty.memory_format", NULL};
  static tnp_op_cache to_out = {"aten::empty.out", NULL};
  (void)module;
  if (TNP_UNLIKELY(kwnames != NULL) && has_out(kwnames)) {
    return call_unchanged(&to_out, args, nargs, kwnames);
  }
  if (TNP_UNLIKELY(is_by_name(nargs, kwnames))) return call_unchanged(&op, args, nargs, kwnames);
  return make(&op, tnp_sizes(args, nargs), NULL, args + nargs, kwnames);
}

static PyObject* zeros(PyObject* module, PyObject* const* args, Py_ssize_t nargs,
                       PyObject* kwnames) {
  static tnp_op_cache op = {"aten::zeros", NULL};
  static tnp_op_cache to_out = {"aten::zeros.out", NULL};
  (void)module;
  if (TNP_UNLIKELY(kwnames != NULL) && has_out(kwnames)) {
    return call_unchanged(&to_out, args, nargs, kwnames);
  }
  if (TNP_UNLIKELY(is_by_name(nargs, kwnames))) return call_unchanged(&op, args, nargs, kwnames);
  return make(&op, tnp_sizes(args, nargs), NULL, args + nargs, kwnames);
}

static PyObject* ones(PyObject* module, PyObject* const* args, Py_ssize_t nargs,
                      PyObject* kwnames) {
  static tnp_op_cache op = {"aten::ones", NULL};
  static tnp_op_cache to_out = {"aten::ones.out", NULL};
  (void)module;
  if (TNP_UNLIKELY(kwnames != NULL) && has_out(kwnames)) {
    return call_unchanged(&to_out, args, nargs, kwnames);
  }
  if (TNP_UNLIKELY(is_by_name(nargs, kwnames))) return call_unchanged(&op, args, nargs, kwnames);
  return make(&op, tnp_sizes(args, nargs), NULL, args + nargs, kwnames);
}

/* Returns true if the keyword `generator` was passed: the overload with that name requires it, even
 * if it is None. */
static bool has_generator(PyObject* kwnames) { return find_keyword(kwnames, "generator") >= 0; }

static PyObject* rand_(PyObject* module, PyObject* const* args, Py_ssize_t nargs,
                       PyObject* kwnames) {
  static tnp_op_cache ops[2] = {{"aten::rand", NULL}, {"aten::rand.generator", NULL}};
  (void)module;
  static tnp_op_cache to_out[2] = {{"aten::rand.out", NULL}, {"aten::rand.generator_out", NULL}};
  const bool of_generator = has_generator(kwnames);
  if (TNP_UNLIKELY(kwnames != NULL) && has_out(kwnames)) {
    return call_unchanged(&to_out[of_generator], args, nargs, kwnames);
  }
  if (TNP_UNLIKELY(is_by_name(nargs, kwnames))) {
    return call_unchanged(&ops[of_generator], args, nargs, kwnames);
  }
  return make(&ops[of_generator], tnp_sizes(args, nargs), NULL, args + nargs, kwnames);
}

static PyObject* randn(PyObject* module, PyObject* const* args, Py_ssize_t nargs,
                       PyObject* kwnames) {
  static tnp_op_cache ops[2] = {{"aten::randn", NULL}, {"aten::randn.generator", NULL}};
  (void)module;
  static tnp_op_cache to_out[2] = {{"aten::randn.out", NULL}, {"aten::randn.generator_out", NULL}};
  const bool of_generator = has_generator(kwnames);
  if (TNP_UNLIKELY(kwnames != NULL) && has_out(kwnames)) {
    return call_unchanged(&to_out[of_generator], args, nargs, kwnames);
  }
  if (TNP_UNLIKELY(is_by_name(nargs, kwnames))) {
    return call_unchanged(&ops[of_generator], args, nargs, kwnames);
  }
  return make(&ops[of_generator], tnp_sizes(args, nargs), NULL, args + nargs, kwnames);
}

static PyObject* full(PyObject* module, PyObject* const* args, Py_ssize_t nargs,
                      PyObject* kwnames) {
  static tnp_op_cache op = {"aten::full", NULL};
  (void)module;
  static tnp_op_cache to_out = {"aten::full.out", NULL};
  if (has_out(kwnames)) return call_unchanged(&to_out, args, nargs, kwnames);
  if (nargs != 2) { /* passed by keyword, or wrong: the operator reports the error */
    PyObject* known = tnp_cached_op(&op);
    return known ? PyObject_Vectorcall(known, args, (size_t)nargs, kwnames) : NULL;
  }
  return make(&op, PyLong_Check(args[0]) ? tnp_sizes(args, 1) : Py_NewRef(args[0]), args[1],
              args + nargs, kwnames);
}

/* ---- tensor ---------------------------------------------------------------------------------- */

static bool is_numbers(PyObject* data) {
  return PyRange_Check(data) || PyList_Check(data) || PyTuple_Check(data) || PyLong_Check(data) ||
         PyFloat_Check(data) || PyComplex_Check(data);
}

static PyObject* tensor(PyObject* module, PyObject* const* args, Py_ssize_t nargs,
                        PyObject* kwnames) {
  (void)module;
  PyObject *data = nargs > 0 ? args[0] : NULL, *dtype = Py_None, *device = Py_None, *grad = NULL;
  Py_ssize_t count = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
  for (Py_ssize_t i = 0; i < count; i++) {
    PyObject* name = PyTuple_GET_ITEM(kwnames, i);
    if (PyUnicode_CompareWithASCIIString(name, "dtype") == 0) {
      dtype = args[nargs + i];
    } else if (PyUnicode_CompareWithASCIIString(name, "device") == 0) {
      device = args[nargs + i];
    } else if (PyUnicode_CompareWithASCIIString(name, "requires_grad") == 0) {
      grad = args[nargs + i];
    } else if (data == NULL && PyUnicode_CompareWithASCIIString(name, "data") == 0) {
      data = args[nargs + i];
    } else if (PyUnicode_CompareWithASCIIString(name, "pin_memory") == 0 &&
               args[nargs + i] == Py_False) {
      continue; /* treated as if it were not passed */
    } else {
      return tnp_raise_format(TENON_ERROR_TYPE,
                              "tensor: keyword argument must be data, dtype, device or "
                              "requires_grad, each given "
                              "once, got '%U'",
                              name);
    }
  }
  if (data == NULL || nargs > 1) {
    return tnp_raise_format(TENON_ERROR_TYPE, "tensor: positional arguments must be 1, got %zd",
                            nargs);
  }
  if (!is_numbers(data)) {
    PyObject* python = PyImport_ImportModule("tenon.factories");
    PyObject* result =
        python ? PyObject_CallMethod(python, "_copy", "OOO", data, dtype, device) : NULL;
    Py_XDECREF(python);
    return with_grad(result, grad);
  }
  PyObject* pair[2] = {data, dtype};
  PyObject* result = tnp_in_fake_mode(tnp_tensor_from_data(NULL, pair, 2));
  if (result != NULL && device != Py_None) {
    Py_SETREF(result, PyObject_CallMethod(result, "to", "O", device));
  }
  return with_grad(result, grad);
}

#define FACTORY_AS(name, function, doc) \
  { name, (PyCFunction)(void (*)(void))function, METH_FASTCALL | METH_KEYWORDS, doc }
#define FACTORY(name, doc) FACTORY_AS(#name, name, doc)

static PyMethodDef functions[] = {
    FACTORY(empty,
            "empty(*size, dtype=None, device=None, requires_grad=False)\n--\n\n"
            "Returns a tensor with uninitialised elements."),
    FACTORY(zeros,
            "zeros(*size, dtype=None, device=None, requires_grad=False)\n--\n\n"
            "Returns a tensor of zeros."),
    FACTORY(ones,
            "ones(*size, dtype=None, device=None, requires_grad=False)\n--\n\n"
            "Returns a tensor of ones."),
    FACTORY(full,
            "full(size, fill_value, *, dtype=None, device=None, requires_grad=False)\n--\n\n"
            "Returns a tensor of one number."),
    /* The C library also has a function rand. */
    FACTORY_AS("rand", rand_,
               "rand(*size, generator=None, dtype=None, device=None, requires_grad=False)\n--\n\n"
               "Returns samples of the uniform distribution from 0 up to 1, 1 left out."),
    FACTORY(randn,
            "randn(*size, generator=None, dtype=None, device=None, requires_grad=False)\n--\n\n"
            "Returns samples of the standard normal distribution."),
    FACTORY(tensor,
            "tensor(data, *, dtype=None, device=None, requires_grad=False)\n--\n\n"
            "Copies data into a new tensor.\n\n"
            "Args:\n"
            "    data: A number, nested lists of numbers, a tensor, a numpy array, or an object\n"
            "        with `__dlpack__` or a buffer.\n"
            "    dtype: Element type; by default bool, int64, the default floating dtype or its\n"
            "        complex counterpart for Python numbers, and the data's own otherwise.\n"
            "    device: Device, by default the CPU for numbers and the data's own otherwise.\n"
            "    requires_grad: Whether gradients flow to it.\n\n"
            "Raises:\n"
            "    ArgumentTypeError: something in the data is no number.\n"
            "    InvalidArgumentError: lists of unequal length, or a number outside the dtype's\n"
            "        range."),
    {NULL, NULL, 0, NULL}};

int tnp_factory_init(PyObject* module) { return PyModule_AddFunctions(module, functions); }
