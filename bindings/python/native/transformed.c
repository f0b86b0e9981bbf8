/* SPDX-License-Identifier: Apache-2.0 */
/* Functions transformed by vmap, grad and grad_and_value, and jvp.
 *
 * Simple calls, with tensors as arguments and a tensor as the result, are served here. All other
 * calls, such as those with trees or wrong arguments, are passed to Python functions that each
 * object holds: `general` serves a whole call, `finish` the result of a layer already left. */
#include "native.h"
#include "overridable.h"

#include <stddef.h>
#include <string.h>
#include <structmember.h>

enum { VMAP, GRAD, GRAD_AND_VALUE };
enum { MOST = 8 }; /* maximum number of arguments of a simple call */

typedef struct {
  PyObject_HEAD vectorcallfunc vectorcall;
  int kind;
  bool is_simple; /* its options are those of simple calls */
  bool for_each;  /* one in_dim per argument; otherwise the first is for all */
  uint32_t randomness;
  Py_ssize_t ndims;
  int64_t in_dims[MOST];
  int64_t out_dim;
  Py_ssize_t argnum;
  PyObject *function, *options, *general, *finish;
  PyObject *dict, *weakrefs;
} transformed;

static PyTypeObject* transformed_type;

/* ---- Options --------------------------------------------------------------------------------- */

/* Reads a dim that some tensor can have, or none; returns false for other objects. */
static bool read_dim(PyObject* object, int64_t* out_dim) {
  *out_dim = TENON_DIM_NONE;
  if (object == Py_None) return true;
  if (!PyLong_CheckExact(object)) return false;
  int overflow = 0;
  *out_dim = PyLong_AsLongAndOverflow(object, &overflow);
  return overflow == 0 && *out_dim > -500 && *out_dim < 500;
}

/* (in_dims, out_dims, randomness, chunk_size) */
static bool read_vmap(transformed* self) {
  PyObject* in_dims = PyTuple_GET_ITEM(self->options, 0);
  PyObject* randomness = PyTuple_GET_ITEM(self->options, 2);
  if (!PyLong_CheckExact(randomness) || PyTuple_GET_ITEM(self->options, 3) != Py_None) return false;
  self->randomness = (uint32_t)PyLong_AsUnsignedLong(randomness);
  if (!read_dim(PyTuple_GET_ITEM(self->options, 1), &self->out_dim)) return false;
  if (PyLong_CheckExact(in_dims)) return read_dim(in_dims, &self->in_dims[0]);
  if (!PyTuple_CheckExact(in_dims) || PyTuple_GET_SIZE(in_dims) > MOST) return false;
  self->for_each = true;
  self->ndims = PyTuple_GET_SIZE(in_dims);
  for (Py_ssize_t i = 0; i < self->ndims; i++) {
    if (!read_dim(PyTuple_GET_ITEM(in_dims, i), &self->in_dims[i])) return false;
  }
  return true;
}

/* (argnums, has_aux) */
static bool read_grad(transformed* self) {
  PyObject* argnum = PyTuple_GET_ITEM(self->options, 0);
  if (!PyLong_CheckExact(argnum) || PyTuple_GET_ITEM(self->options, 1) != Py_False) return false;
  self->argnum = PyLong_AsSsize_t(argnum);
  PyErr_Clear();
  return self->argnum >= 0;
}

/* ---- Calls ----------------------------------------------------------------------------------- */

/* Leaves and releases a layer. A pending exception takes precedence. */
static int leave(tenon_layer* layer, bool failed) {
  if (!failed) return tnp_check(tenon_layer_leave(layer));
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  if (tnp_check(tenon_layer_leave(layer)) != 0) PyErr_Clear();
  PyErr_Restore(type, value, trace);
  return -1;
}

/* Calls the function inside a layer and leaves the layer; returns its result. */
static PyObject* call_in(tenon_layer* layer, const transformed* self, PyObject** args,
                         Py_ssize_t nargs) {
  PyObject* output = PyObject_Vectorcall(self->function, args, (size_t)nargs, NULL);
  if (leave(layer, output == NULL) != 0) Py_CLEAR(output);
  return output;
}

/* Handles a result other than a tensor; takes over the output. */
static PyObject* finish(const transformed* self, tenon_layer* layer, PyObject* output,
                        PyObject* inputs) {
  PyObject* handle = tnp_handle_new(TNP_HANDLE_LAYER, tenon_layer_retain(layer));
  PyObject* args[] = {self->function, self->options, handle, output, inputs};
  PyObject* result = handle ? PyObject_Vectorcall(self->finish, args, 5, NULL) : NULL;
  Py_XDECREF(handle);
  Py_DECREF(output);
  return result;
}

/* Returns Py_NotImplemented, borrowed, for calls that are not simple, before calling anything. */
static PyObject* map_simply(const transformed* self, PyObject* const* args, Py_ssize_t nargs) {
  if (nargs == 0 || nargs > MOST || (self->for_each && nargs != self->ndims)) {
    return Py_NotImplemented;
  }
  tenon_value values[MOST] = {{0}};
  int64_t dims[MOST];
  for (Py_ssize_t i = 0; i < nargs; i++) {
    dims[i] = self->in_dims[self->for_each ? i : 0];
    if (dims[i] == TENON_DIM_NONE) continue;
    if (Py_TYPE(args[i]) != tnp_tensor_type) return Py_NotImplemented;
    tenon_tensor* tensor = tnp_tensor_get(args[i]);
    if (tensor == NULL) return NULL;
    values[i] = tenon_value_of_tensor(tensor);
  }
  int64_t size = 0;
  tenon_layer* layer = NULL;
  if (tenon_vmap_size("vmap", values, dims, nargs, &size) != TENON_OK) return Py_NotImplemented;
  if (tnp_check(tenon_vmap_enter(size, self->randomness, &layer)) != 0) return NULL;
  PyObject* given[MOST];
  Py_ssize_t ready = 0;
  for (; ready < nargs; ready++) {
    tenon_tensor* inside = NULL;
    given[ready] = NULL;
    if (dims[ready] == TENON_DIM_NONE) {
      given[ready] = Py_NewRef(args[ready]);
    } else if (tnp_check(tenon_layer_wrap(layer, values[ready].as.tensor, dims[ready], &inside)) ==
               0) {
      given[ready] = tnp_tensor_wrap(inside);
    }
    if (given[ready] == NULL) break;
  }
  PyObject* output = NULL;
  if (ready == nargs) {
    output = call_in(layer, self, given, nargs);
  } else {
    (void)leave(layer, true);
  }
  while (ready > 0) Py_DECREF(given[--ready]);
  PyObject* result = NULL;
  if (output != NULL && Py_TYPE(output) == tnp_tensor_type) {
    tenon_tensor* inside = tnp_tensor_get(output);
    const tenon_value value = tenon_value_of_tensor(inside);
    tenon_tensor* whole = NULL;
    const bool fits = inside != NULL && tenon_vmap_result(layer, "vmap", 0, &value, self->out_dim,
                                                          &whole) == TENON_OK;
    if (fits) result = tnp_tensor_wrap(whole);
    if (fits || inside == NULL) Py_CLEAR(output);
  }
  if (output != NULL) result = finish(self, layer, output, Py_None);
  tenon_layer_release(layer);
  return result;
}

/* Packs two new references, which it takes over; NULL if one of them is NULL. */
static PyObject* pack_tensors(PyObject* first, PyObject* second) {
  PyObject* both = first && second ? PyTuple_Pack(2, first, second) : NULL;
  Py_XDECREF(first);
  Py_XDECREF(second);
  return both;
}

/* Returns the gradient of a scalar output of a layer; NULL with an exception. */
static tenon_tensor* derive(tenon_tensor* output, tenon_tensor* input) {
  tenon_pullback* pullback = NULL;
  tenon_tensor *one = NULL, *grad = NULL;
  if (tnp_check(tenon_pullback_new(&output, 1, &input, 1, &pullback)) != 0) return NULL;
  tenon_status status;
  Py_BEGIN_ALLOW_THREADS status = tenon_pullback_run(pullback, &one, 1, &grad);
  tenon_pullback_release(pullback);
  Py_END_ALLOW_THREADS tnp_drain_pending();
  (void)tnp_check(status);
  return grad;
}

static PyObject* grad_simply(const transformed* self, PyObject* const* args, Py_ssize_t nargs) {
  if (nargs > MOST || self->argnum >= nargs) return Py_NotImplemented;
  if (Py_TYPE(args[self->argnum]) != tnp_tensor_type) return Py_NotImplemented;
  tenon_tensor* outside = tnp_tensor_get(args[self->argnum]);
  tenon_layer* layer = NULL;
  tenon_tensor* inside = NULL;
  if (outside == NULL || tnp_check(tenon_grad_enter(&layer)) != 0) return NULL;
  PyObject* input = NULL;
  if (tnp_check(tenon_layer_wrap(layer, outside, TENON_DIM_NONE, &inside)) == 0) {
    input = tnp_tensor_wrap(inside);
  }
  PyObject* output = NULL;
  if (input != NULL) {
    PyObject* given[MOST];
    memcpy(given, args, (size_t)nargs * sizeof *given);
    given[self->argnum] = input;
    output = call_in(layer, self, given, nargs);
  } else {
    (void)leave(layer, true);
  }
  PyObject* result = NULL;
  tenon_tensor* scalar = NULL;
  if (output != NULL && Py_TYPE(output) == tnp_tensor_type) {
    scalar = tnp_tensor_get(output);
    if (scalar == NULL) Py_CLEAR(output);
  }
  if (scalar != NULL && tenon_tensor_ndim(scalar) == 0) {
    inside = tnp_tensor_get(input); /* the function may have released the tensor */
    tenon_tensor* grad = inside != NULL ? derive(scalar, inside) : NULL;
    PyObject* first = grad != NULL ? tnp_tensor_wrap(grad) : NULL;
    if (self->kind == GRAD || first == NULL) {
      result = first;
    } else {
      tenon_tensor* value = NULL;
      int64_t dim;
      const int status = tnp_check(tenon_layer_unwrap(layer, scalar, &value, &dim));
      result = pack_tensors(first, status == 0 ? tnp_tensor_wrap(value) : NULL);
    }
    Py_DECREF(output);
  } else if (output != NULL) {
    result = finish(self, layer, output, input);
  }
  Py_XDECREF(input);
  tenon_layer_release(layer);
  return result;
}

/* Returns the tensors of a tuple of tensors, borrowed. Returns their count, 0 for other objects, -1
 * with an exception. */
static Py_ssize_t read_tensors(PyObject* tuple, tenon_tensor** tensors) {
  if (!PyTuple_CheckExact(tuple) || PyTuple_GET_SIZE(tuple) > MOST) return 0;
  const Py_ssize_t count = PyTuple_GET_SIZE(tuple);
  for (Py_ssize_t i = 0; i < count; i++) {
    if (Py_TYPE(PyTuple_GET_ITEM(tuple, i)) != tnp_tensor_type) return 0;
    tensors[i] = tnp_tensor_get(PyTuple_GET_ITEM(tuple, i));
    if (tensors[i] == NULL) return -1;
  }
  return count;
}

/* Returns a result outside its jvp layer, with its tangent. */
static PyObject* take_dual(tenon_layer* layer, tenon_tensor* dual) {
  static tnp_op_cache zeros_like = {"aten::zeros_like", NULL};
  tenon_tensor *primal = NULL, *tangent = NULL;
  int64_t dim;
  int status = tnp_check(tenon_layer_unwrap(layer, dual, &primal, &dim));
  if (status == 0) status = tnp_check(tenon_layer_tangent(layer, dual, &tangent));
  if (leave(layer, status != 0) != 0) status = -1;
  if (status != 0) {
    tenon_tensor_release(primal);
    tenon_tensor_release(tangent);
    return NULL;
  }
  PyObject* first = tnp_tensor_wrap(primal);
  if (tangent != NULL) return pack_tensors(first, tnp_tensor_wrap(tangent));
  PyObject* op = first != NULL ? tnp_cached_op(&zeros_like) : NULL;
  return pack_tensors(first, op != NULL ? PyObject_CallOneArg(op, first) : NULL);
}

/* (function, primals, tangents): returns None, before calling anything, unless both are tuples of
 * tensors. Returns (result, tangent), or (layer, result) with the layer still entered if the result
 * is not a tensor. */
static PyObject* jvp_call(PyObject* module, PyObject* const* args, Py_ssize_t nargs) {
  (void)module;
  if (nargs != 3) {
    return tnp_raise_format(TENON_ERROR_TYPE, "jvp_call: arguments must be 3, got %zd", nargs);
  }
  tenon_tensor *primals[MOST], *tangents[MOST];
  const Py_ssize_t count = read_tensors(args[1], primals);
  const Py_ssize_t others = count > 0 ? read_tensors(args[2], tangents) : 0;
  if (count < 0 || others < 0) return NULL;
  if (count == 0 || count != others) Py_RETURN_NONE;
  tenon_layer* layer = NULL;
  if (tnp_check(tenon_jvp_enter(&layer)) != 0) return NULL;
  PyObject* given[MOST];
  Py_ssize_t ready = 0;
  for (; ready < count; ready++) {
    tenon_tensor* dual = NULL;
    if (tnp_check(tenon_layer_wrap_dual(layer, primals[ready], tangents[ready], &dual)) != 0) break;
    given[ready] = tnp_tensor_wrap(dual);
    if (given[ready] == NULL) break;
  }
  PyObject* output =
      ready == count ? PyObject_Vectorcall(args[0], given, (size_t)count, NULL) : NULL;
  while (ready > 0) Py_DECREF(given[--ready]);
  PyObject* result = NULL;
  if (output == NULL) {
    (void)leave(layer, true);
  } else if (Py_TYPE(output) == tnp_tensor_type) {
    tenon_tensor* dual = tnp_tensor_get(output);
    if (dual != NULL) {
      result = take_dual(layer, dual);
    } else {
      (void)leave(layer, true);
    }
  } else {
    PyObject* handle = tnp_handle_new(TNP_HANDLE_LAYER, tenon_layer_retain(layer));
    result = handle ? PyTuple_Pack(2, handle, output) : NULL;
    if (result == NULL) (void)leave(layer, true);
    Py_XDECREF(handle);
  }
  Py_XDECREF(output);
  tenon_layer_release(layer);
  return result;
}

static PyObject* call_generally(const transformed* self, PyObject* const* args, size_t nargsf,
                                PyObject* kwnames) {
  const Py_ssize_t nargs = PyVectorcall_NARGS(nargsf);
  PyObject* positional = PyTuple_New(nargs);
  PyObject* named = PyDict_New();
  for (Py_ssize_t i = 0; positional != NULL && i < nargs; i++) {
    PyTuple_SET_ITEM(positional, i, Py_NewRef(args[i]));
  }
  int status = positional != NULL && named != NULL ? 0 : -1;
  for (Py_ssize_t i = 0; status == 0 && kwnames != NULL && i < PyTuple_GET_SIZE(kwnames); i++) {
    status = PyDict_SetItem(named, PyTuple_GET_ITEM(kwnames, i), args[nargs + i]);
  }
  PyObject* given[] = {self->function, self->options, positional, named};
  PyObject* result = status == 0 ? PyObject_Vectorcall(self->general, given, 4, NULL) : NULL;
  Py_XDECREF(positional);
  Py_XDECREF(named);
  return result;
}

static PyObject* transformed_vectorcall(PyObject* callable, PyObject* const* args, size_t nargsf,
                                        PyObject* kwnames) {
  const transformed* self = (const transformed*)callable;
  const bool named = kwnames != NULL && PyTuple_GET_SIZE(kwnames) != 0;
  if (TNP_LIKELY(self->is_simple && !named)) {
    const Py_ssize_t nargs = PyVectorcall_NARGS(nargsf);
    PyObject* result =
        self->kind == VMAP ? map_simply(self, args, nargs) : grad_simply(self, args, nargs);
    if (TNP_LIKELY(result != Py_NotImplemented)) return result;
  }
  return call_generally(self, args, nargsf, kwnames);
}

/* ---- The type -------------------------------------------------------------------------------- */

/* (kind, function, options, general, finish) */
static PyObject* transformed_make(PyObject* module, PyObject* const* args, Py_ssize_t nargs) {
  (void)module;
  if (nargs != 5 || !PyLong_CheckExact(args[0]) || !PyTuple_CheckExact(args[2])) {
    return tnp_raise_format(TENON_ERROR_TYPE,
                            "transformed: arguments must be kind, function, a tuple of options and "
                            "two functions, got %zd",
                            nargs);
  }
  const int kind = (int)PyLong_AsLong(args[0]);
  if (PyTuple_GET_SIZE(args[2]) != (kind == VMAP ? 4 : 2)) {
    return tnp_raise_format(TENON_ERROR_TYPE, "transformed: options must fit the kind");
  }
  transformed* self = (transformed*)transformed_type->tp_alloc(transformed_type, 0);
  if (self == NULL) return NULL;
  self->vectorcall = transformed_vectorcall;
  self->kind = kind;
  self->function = Py_NewRef(args[1]);
  self->options = Py_NewRef(args[2]);
  self->general = Py_NewRef(args[3]);
  self->finish = Py_NewRef(args[4]);
  self->is_simple = kind == VMAP ? read_vmap(self) : read_grad(self);
  return (PyObject*)self;
}

static int transformed_traverse(PyObject* object, visitproc visit, void* arg) {
  const transformed* self = (const transformed*)object;
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self->function);
  Py_VISIT(self->options);
  Py_VISIT(self->general);
  Py_VISIT(self->finish);
  Py_VISIT(self->dict);
  return 0;
}

static int transformed_clear(PyObject* object) {
  Py_CLEAR(((transformed*)object)->dict);
  return 0;
}

static void transformed_dealloc(PyObject* object) {
  transformed* self = (transformed*)object;
  PyTypeObject* type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  if (self->weakrefs != NULL) PyObject_ClearWeakRefs(object);
  Py_XDECREF(self->function);
  Py_XDECREF(self->options);
  Py_XDECREF(self->general);
  Py_XDECREF(self->finish);
  Py_XDECREF(self->dict);
  type->tp_free(object);
  Py_DECREF(type);
}

/* Name, documentation and other attributes are the function's, as with functools.wraps. */
static PyObject* transformed_getattr(PyObject* object, PyObject* name) {
  return tnp_getattr_else(object, name, ((transformed*)object)->function);
}

static PyObject* transformed_doc(PyObject* object, void* unused) {
  (void)unused;
  return PyObject_GetAttrString(((transformed*)object)->function, "__doc__");
}

static PyObject* transformed_module(PyObject* object, void* unused) {
  (void)unused;
  return PyObject_GetAttrString(((transformed*)object)->function, "__module__");
}

static PyObject* transformed_repr(PyObject* object) {
  static const char* const names[] = {"vmap", "grad", "grad_and_value"};
  const transformed* self = (const transformed*)object;
  return PyUnicode_FromFormat("<%s of %R>", names[self->kind], self->function);
}

static PyGetSetDef transformed_getset[] = {
    {"__doc__", transformed_doc, NULL, NULL, NULL},
    {"__module__", transformed_module, NULL, NULL, NULL},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL}};
static PyMemberDef transformed_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(transformed, vectorcall), READONLY, NULL},
    {"__dictoffset__", T_PYSSIZET, offsetof(transformed, dict), READONLY, NULL},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(transformed, weakrefs), READONLY, NULL},
    {"__wrapped__", T_OBJECT_EX, offsetof(transformed, function), READONLY, NULL},
    {NULL, 0, 0, 0, NULL}};
static PyType_Slot transformed_slots[] = {
    {Py_tp_dealloc, transformed_dealloc},  {Py_tp_traverse, transformed_traverse},
    {Py_tp_clear, transformed_clear},      {Py_tp_call, PyVectorcall_Call},
    {Py_tp_getattro, transformed_getattr}, {Py_tp_descr_get, tnp_bind_method},
    {Py_tp_repr, transformed_repr},        {Py_tp_members, transformed_members},
    {Py_tp_getset, transformed_getset},    {0, NULL}};
static PyType_Spec transformed_spec = {"tenon.func.Transformed", sizeof(transformed), 0,
                                       Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL |
                                           Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                       transformed_slots};

static PyMethodDef functions[] = {
    {"transformed", (PyCFunction)(void (*)(void))transformed_make, METH_FASTCALL,
     "transformed(kind, function, options, general, finish, /)\n--\n\nA function made of another."},
    {"jvp_call", (PyCFunction)(void (*)(void))jvp_call, METH_FASTCALL,
     "jvp_call(function, primals, tangents, /)\n--\n\nCalls a function of tensors in a jvp."},
    {NULL, NULL, 0, NULL}};

int tnp_transformed_init(PyObject* module) {
  if (tnp_add_type(module, &transformed_type, &transformed_spec, NULL) != 0) return -1;
  if (PyModule_AddIntConstant(module, "TRANSFORMED_VMAP", VMAP) != 0 ||
      PyModule_AddIntConstant(module, "TRANSFORMED_GRAD", GRAD) != 0 ||
      PyModule_AddIntConstant(module, "TRANSFORMED_GRAD_AND_VALUE", GRAD_AND_VALUE) != 0) {
    return -1;
  }
  return PyModule_AddFunctions(module, functions);
}
