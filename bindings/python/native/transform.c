/* SPDX-License-Identifier: Apache-2.0 */
/* Layers of vmap, grad and jvp, and their tensors. */
#include "native.h"
#include "value.h"

/* Returns the tensor of an object, borrowed; NULL with an exception for other objects. */
static tenon_tensor* read_tensor(const char* what, PyObject* object) {
  if (TNP_IS_TENSOR(object)) return tnp_tensor_get(object);
  tnp_raise_format(TENON_ERROR_TYPE, "%s must be Tensor, got %s", what, Py_TYPE(object)->tp_name);
  return NULL;
}

static tenon_layer* read_layer(PyObject* object) {
  return tnp_handle_get(object, TNP_HANDLE_LAYER);
}

/* Reads a dim; None means none. Returns 0, or -1 with an exception. */
static int read_dim(const char* what, PyObject* object, int64_t* out_dim) {
  if (object == Py_None) {
    *out_dim = TENON_DIM_NONE;
    return 0;
  }
  if (!PyLong_Check(object) || PyBool_Check(object)) {
    tnp_raise_format(TENON_ERROR_INVALID_ARGUMENT, "%s must be int or None, got %s", what,
                     Py_TYPE(object)->tp_name);
    return -1;
  }
  int overflow = 0;
  const long long dim = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (dim == -1 && PyErr_Occurred()) return -1;
  /* Clamp to a value that is out of range for any tensor, so that it is rejected later as such. */
  *out_dim =
      overflow != 0 || dim > 500 || dim < -500 ? (overflow > 0 || dim > 0 ? 500 : -500) : dim;
  return 0;
}

static PyObject* dim_object(int64_t dim) {
  return dim == TENON_DIM_NONE ? Py_NewRef(Py_None) : PyLong_FromLongLong(dim);
}

/* ---- Layers ---------------------------------------------------------------------------------- */

static PyObject* layer_enter(PyObject* module, PyObject* args) {
  (void)module;
  unsigned kind, randomness = TENON_RANDOMNESS_ERROR;
  long long size = 0;
  if (!PyArg_ParseTuple(args, "I|LI:layer_enter", &kind, &size, &randomness)) return NULL;
  tenon_layer* layer = NULL;
  const tenon_status status = kind == TENON_LAYER_VMAP ? tenon_vmap_enter(size, randomness, &layer)
                              : kind == TENON_LAYER_GRAD ? tenon_grad_enter(&layer)
                                                         : tenon_jvp_enter(&layer);
  if (tnp_check(status) != 0) return NULL;
  return tnp_handle_new(TNP_HANDLE_LAYER, layer);
}

static PyObject* layer_leave(PyObject* module, PyObject* object) {
  (void)module;
  tenon_layer* layer = read_layer(object);
  if (layer == NULL || tnp_check(tenon_layer_leave(layer)) != 0) return NULL;
  Py_RETURN_NONE;
}

/* Returns (handle, kind, level, batch size, randomness), or None. */
static PyObject* layer_innermost(PyObject* module, PyObject* ignored) {
  (void)module;
  (void)ignored;
  tenon_layer* layer = tenon_layer_copy_innermost();
  if (layer == NULL) Py_RETURN_NONE;
  const uint32_t kind = tenon_layer_kind(layer);
  const long long level = tenon_layer_level(layer);
  tenon_vmap_info info = {.struct_size = sizeof info};
  if (kind == TENON_LAYER_VMAP && tnp_check(tenon_layer_get_vmap(layer, &info)) != 0) {
    tenon_layer_release(layer);
    return NULL;
  }
  return Py_BuildValue("(NILLI)", tnp_handle_new(TNP_HANDLE_LAYER, layer), kind, level,
                       (long long)info.batch_size, info.randomness);
}

static void show(PyObject* capsule) {
  tenon_hidden_layer* hidden = PyCapsule_GetPointer(capsule, "tenon.hidden_layer");
  if (hidden != NULL) tenon_layer_show(hidden);
}

static PyObject* layer_hide(PyObject* module, PyObject* ignored) {
  (void)module;
  (void)ignored;
  tenon_hidden_layer* hidden = NULL;
  if (tnp_check(tenon_layer_hide(&hidden)) != 0) return NULL;
  PyObject* capsule = PyCapsule_New(hidden, "tenon.hidden_layer", NULL);
  if (capsule == NULL) tenon_layer_show(hidden);
  return capsule;
}

static PyObject* layer_show(PyObject* module, PyObject* capsule) {
  (void)module;
  if (!PyCapsule_IsValid(capsule, "tenon.hidden_layer")) {
    return tnp_raise_format(TENON_ERROR_TYPE,
                            "layer_show: argument must be a result of layer_hide");
  }
  show(capsule);
  if (PyCapsule_SetName(capsule, "tenon.shown_layer") != 0) return NULL;
  Py_RETURN_NONE;
}

/* ---- Tensors of layers ----------------------------------------------------------------------- */

static PyObject* layer_wrap(PyObject* module, PyObject* const* args, Py_ssize_t nargs) {
  (void)module;
  if (nargs != 3) {
    return tnp_raise_format(TENON_ERROR_TYPE, "layer_wrap: arguments must be 3, got %zd", nargs);
  }
  int64_t dim;
  tenon_layer* layer = read_layer(args[0]);
  tenon_tensor* tensor = layer ? read_tensor("layer_wrap: tensor", args[1]) : NULL;
  if (tensor == NULL || read_dim("layer_wrap: dim", args[2], &dim) != 0) return NULL;
  tenon_tensor* wrapped = NULL;
  if (tnp_check(tenon_layer_wrap(layer, tensor, dim, &wrapped)) != 0) return NULL;
  return tnp_tensor_wrap(wrapped);
}

static PyObject* layer_lift(PyObject* module, PyObject* args) {
  (void)module;
  PyObject *handle, *object;
  if (!PyArg_ParseTuple(args, "OO:layer_lift", &handle, &object)) return NULL;
  tenon_layer* layer = read_layer(handle);
  tenon_tensor* tensor = layer ? read_tensor("layer_lift: tensor", object) : NULL;
  tenon_tensor* lifted = NULL;
  if (tensor == NULL || tnp_check(tenon_layer_lift(layer, tensor, &lifted)) != 0) return NULL;
  return tnp_tensor_wrap(lifted);
}

static PyObject* layer_wrap_dual(PyObject* module, PyObject* args) {
  (void)module;
  PyObject *handle, *primal, *tangent;
  if (!PyArg_ParseTuple(args, "OOO:layer_wrap_dual", &handle, &primal, &tangent)) return NULL;
  tenon_layer* layer = read_layer(handle);
  tenon_tensor* of = layer ? read_tensor("jvp: primal", primal) : NULL;
  tenon_tensor* given = of ? read_tensor("jvp: tangent", tangent) : NULL;
  if (given == NULL) return NULL;
  tenon_tensor* dual = NULL;
  if (tnp_check(tenon_layer_wrap_dual(layer, of, given, &dual)) != 0) return NULL;
  return tnp_tensor_wrap(dual);
}

/* (tensor, dim or None). */
static PyObject* layer_unwrap(PyObject* module, PyObject* const* args, Py_ssize_t nargs) {
  (void)module;
  if (nargs != 2) {
    return tnp_raise_format(TENON_ERROR_TYPE, "layer_unwrap: arguments must be 2, got %zd", nargs);
  }
  tenon_layer* layer = read_layer(args[0]);
  tenon_tensor* tensor = layer ? read_tensor("layer_unwrap: tensor", args[1]) : NULL;
  if (tensor == NULL) return NULL;
  tenon_tensor* below = NULL;
  int64_t dim;
  if (tnp_check(tenon_layer_unwrap(layer, tensor, &below, &dim)) != 0) return NULL;
  PyObject* object = tnp_tensor_wrap(below);
  PyObject* number = object ? dim_object(dim) : NULL;
  PyObject* pair = number ? PyTuple_Pack(2, object, number) : NULL;
  Py_XDECREF(object);
  Py_XDECREF(number);
  return pair;
}

static PyObject* layer_tangent(PyObject* module, PyObject* args) {
  (void)module;
  PyObject *handle, *object;
  if (!PyArg_ParseTuple(args, "OO:layer_tangent", &handle, &object)) return NULL;
  tenon_layer* layer = read_layer(handle);
  tenon_tensor* tensor = layer ? read_tensor("layer_tangent: tensor", object) : NULL;
  tenon_tensor* tangent = NULL;
  if (tensor == NULL || tnp_check(tenon_layer_tangent(layer, tensor, &tangent)) != 0) return NULL;
  return tangent != NULL ? tnp_tensor_wrap(tangent) : Py_NewRef(Py_None);
}

/* Returns the layer of a tensor as a handle, or None. */
static PyObject* tensor_layer(PyObject* module, PyObject* object) {
  (void)module;
  tenon_tensor* tensor = read_tensor("tensor_layer: tensor", object);
  if (tensor == NULL) return NULL;
  tenon_layer* layer = tenon_tensor_copy_layer(tensor);
  return layer != NULL ? tnp_handle_new(TNP_HANDLE_LAYER, layer) : Py_NewRef(Py_None);
}

/* Unwraps a tensor of grad and jvp layers to the tensor below all of them. */
static PyObject* tensor_plain(PyObject* module, PyObject* object) {
  (void)module;
  tenon_tensor* tensor = read_tensor("tensor_plain: tensor", object);
  tenon_tensor* plain = NULL;
  if (tensor == NULL || tnp_check(tenon_tensor_copy_plain(tensor, &plain)) != 0) return NULL;
  return tnp_tensor_wrap(plain);
}

/* ---- vmap ------------------------------------------------------------------------------------ */

/* (name, arguments, in_dims): returns the batch size. */
static PyObject* vmap_size(PyObject* module, PyObject* args) {
  (void)module;
  const char* name;
  PyObject *list, *dims;
  if (!PyArg_ParseTuple(args, "sO!O!:vmap_size", &name, &PyTuple_Type, &list, &PyTuple_Type, &dims))
    return NULL;
  const Py_ssize_t count = PyTuple_GET_SIZE(list);
  if (PyTuple_GET_SIZE(dims) != count) {
    return tnp_raise_format(TENON_ERROR_INVALID_ARGUMENT,
                            "%s: in_dims must be one for each argument, %zd, got %zd", name, count,
                            PyTuple_GET_SIZE(dims));
  }
  tenon_value* values = PyMem_Calloc((size_t)count + 1, sizeof *values);
  int64_t* in_dims = PyMem_Calloc((size_t)count + 1, sizeof *in_dims);
  int64_t size = 0;
  int status = values != NULL && in_dims != NULL ? 0 : -1;
  if (status != 0) PyErr_NoMemory();
  for (Py_ssize_t i = 0; status == 0 && i < count; i++) {
    PyObject* each = PyTuple_GET_ITEM(list, i);
    status = read_dim("vmap: in_dims", PyTuple_GET_ITEM(dims, i), &in_dims[i]);
    if (status != 0) break;
    if (!TNP_IS_TENSOR(each)) {
      if (in_dims[i] == TENON_DIM_NONE) continue;
      tnp_raise_format(TENON_ERROR_INVALID_ARGUMENT,
                       "%s: in_dims must be None for argument %zd, which is no tensor but %s, got "
                       "%lld",
                       name, i, Py_TYPE(each)->tp_name, (long long)in_dims[i]);
      status = -1;
      break;
    }
    tenon_tensor* tensor = tnp_tensor_get(each);
    status = tensor != NULL ? 0 : -1;
    if (status == 0) values[i] = tenon_value_of_tensor(tensor);
  }
  if (status == 0) status = tnp_check(tenon_vmap_size(name, values, in_dims, count, &size));
  PyMem_Free(values);
  PyMem_Free(in_dims);
  return status == 0 ? PyLong_FromLongLong(size) : NULL;
}

/* (layer, name, number, result, out_dim): returns a Tensor. */
static PyObject* vmap_result(PyObject* module, PyObject* args) {
  (void)module;
  PyObject *handle, *result, *dim_given;
  const char* name;
  long long number;
  if (!PyArg_ParseTuple(args, "OsLOO:vmap_result", &handle, &name, &number, &result, &dim_given)) {
    return NULL;
  }
  int64_t dim;
  tenon_layer* layer = read_layer(handle);
  if (layer == NULL || read_dim("vmap: out_dims", dim_given, &dim) != 0) return NULL;
  if (!TNP_IS_TENSOR(result)) {
    return tnp_raise_format(
        TENON_ERROR_INVALID_ARGUMENT,
        "%s: result %lld must be a Tensor, got %s; out_dims None passes on what "
        "is none",
        name, number, Py_TYPE(result)->tp_name);
  }
  tenon_tensor* tensor = tnp_tensor_get(result);
  if (tensor == NULL) return NULL;
  const tenon_value value = tenon_value_of_tensor(tensor);
  tenon_tensor* whole = NULL;
  if (tnp_check(tenon_vmap_result(layer, name, number, &value, dim, &whole)) != 0) return NULL;
  return tnp_tensor_wrap(whole);
}

/* ---- Pullbacks ------------------------------------------------------------------------------- */

/* Returns the tensors of a tuple, or NULL for None, borrowed, in memory that the caller frees; NULL
 * with an exception. */
static tenon_tensor** read_tensors(const char* what, PyObject* tuple, bool may_be_none) {
  const Py_ssize_t count = PyTuple_GET_SIZE(tuple);
  tenon_tensor** tensors = PyMem_Calloc((size_t)count + 1, sizeof(tenon_tensor*));
  if (tensors == NULL) {
    PyErr_NoMemory();
    return NULL;
  }
  for (Py_ssize_t i = 0; i < count; i++) {
    PyObject* item = PyTuple_GET_ITEM(tuple, i);
    if (may_be_none && item == Py_None) continue;
    tensors[i] = read_tensor(what, item);
    if (tensors[i] != NULL) continue;
    PyMem_Free(tensors);
    return NULL;
  }
  return tensors;
}

static PyObject* pullback_new(PyObject* module, PyObject* args) {
  (void)module;
  PyObject *outputs, *inputs;
  if (!PyArg_ParseTuple(args, "O!O!:pullback_new", &PyTuple_Type, &outputs, &PyTuple_Type, &inputs))
    return NULL;
  tenon_tensor** from = read_tensors("vjp: result", outputs, false);
  tenon_tensor** to = from != NULL ? read_tensors("vjp: argument", inputs, false) : NULL;
  tenon_pullback* pullback = NULL;
  const int status = to == NULL
                         ? -1
                         : tnp_check(tenon_pullback_new(from, PyTuple_GET_SIZE(outputs), to,
                                                        PyTuple_GET_SIZE(inputs), &pullback));
  PyMem_Free(from);
  PyMem_Free(to);
  return status == 0 ? tnp_handle_new(TNP_HANDLE_PULLBACK, pullback) : NULL;
}

/* (pullback, gradients): returns a tuple of gradients. None means 1, for a result without dims. */
static PyObject* pullback_run(PyObject* module, PyObject* args) {
  (void)module;
  PyObject *handle, *grads;
  if (!PyArg_ParseTuple(args, "OO!:pullback_run", &handle, &PyTuple_Type, &grads)) return NULL;
  tenon_pullback* pullback = tnp_handle_get(handle, TNP_HANDLE_PULLBACK);
  tenon_tensor** given = pullback != NULL ? read_tensors("vjp: gradient", grads, true) : NULL;
  if (given == NULL) return NULL;
  int64_t count = 0;
  (void)tenon_pullback_count(pullback, &count);
  tenon_tensor** found = PyMem_Calloc((size_t)count + 1, sizeof(tenon_tensor*));
  tenon_status status = TENON_ERROR_OUT_OF_MEMORY;
  if (found != NULL) {
    tenon_pullback_retain(pullback);
    Py_BEGIN_ALLOW_THREADS status =
        tenon_pullback_run(pullback, given, PyTuple_GET_SIZE(grads), found);
    Py_END_ALLOW_THREADS tenon_pullback_release(pullback);
    tnp_drain_pending();
  } else {
    PyErr_NoMemory();
  }
  PyMem_Free(given);
  PyObject* result = NULL;
  if (found != NULL && tnp_check(status) == 0) {
    result = PyTuple_New(count);
    for (int64_t i = 0; i < count; i++) {
      PyObject* grad = tnp_tensor_wrap(found[i]);
      if (grad == NULL || result == NULL) {
        Py_XDECREF(grad);
        Py_CLEAR(result); /* the remaining gradients are still released */
      } else {
        PyTuple_SET_ITEM(result, i, grad);
      }
    }
  }
  PyMem_Free(found);
  return result;
}

static PyMethodDef functions[] = {
    {"layer_enter", layer_enter, METH_VARARGS,
     "layer_enter(kind, size=0, randomness=0, /)\n--\n\nEnters a layer."},
    {"layer_leave", layer_leave, METH_O,
     "layer_leave(layer, /)\n--\n\nLeaves the innermost layer."},
    {"layer_innermost", layer_innermost, METH_NOARGS,
     "layer_innermost()\n--\n\nThe innermost layer, its kind, level, size and randomness, or "
     "None."},
    {"layer_hide", layer_hide, METH_NOARGS,
     "layer_hide()\n--\n\nTakes the innermost layer out of sight."},
    {"layer_show", layer_show, METH_O, "layer_show(hidden, /)\n--\n\nShows it again."},
    {"layer_wrap", (PyCFunction)(void (*)(void))layer_wrap, METH_FASTCALL,
     "layer_wrap(layer, tensor, dim, /)\n--\n\nMakes a layer's tensor."},
    {"layer_lift", layer_lift, METH_VARARGS,
     "layer_lift(layer, tensor, /)\n--\n\nMakes a layer's tensor that is a constant to it."},
    {"layer_wrap_dual", layer_wrap_dual, METH_VARARGS,
     "layer_wrap_dual(layer, primal, tangent, /)\n--\n\nMakes a jvp's tensor with a tangent."},
    {"layer_unwrap", (PyCFunction)(void (*)(void))layer_unwrap, METH_FASTCALL,
     "layer_unwrap(layer, tensor, /)\n--\n\nThe tensor below, and the mapped dim or None."},
    {"layer_tangent", layer_tangent, METH_VARARGS,
     "layer_tangent(layer, tensor, /)\n--\n\nA tensor's tangent at a jvp, or None."},
    {"tensor_layer", tensor_layer, METH_O,
     "tensor_layer(tensor, /)\n--\n\nThe layer of a tensor, or None."},
    {"tensor_plain", tensor_plain, METH_O,
     "tensor_plain(tensor, /)\n--\n\nWhat a tensor stands for below all grad and jvp layers."},
    {"vmap_size", vmap_size, METH_VARARGS,
     "vmap_size(name, args, in_dims, /)\n--\n\nOver how many a function is mapped."},
    {"vmap_result", vmap_result, METH_VARARGS,
     "vmap_result(layer, name, number, result, out_dim, /)\n--\n\nTakes a result off a vmap."},
    {"pullback_new", pullback_new, METH_VARARGS,
     "pullback_new(outputs, inputs, /)\n--\n\nWhat a grad layer has recorded between tensors."},
    {"pullback_run", pullback_run, METH_VARARGS,
     "pullback_run(pullback, grads, /)\n--\n\nThe gradients of its inputs."},
    {NULL, NULL, 0, NULL}};

int tnp_transform_init(PyObject* module) { return PyModule_AddFunctions(module, functions); }
