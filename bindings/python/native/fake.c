/* SPDX-License-Identifier: Apache-2.0 */
/* Fake tensors: modes, conversions, and selection of fake kernels. */
#include "native.h"
#include "shape_env.h"
#include "symbol.h"

/* ---- Modes ----------------------------------------------------------------------------------- */

/* Records that a thread has entered a mode and not left it yet. */
typedef struct entered {
  struct entered* outer;
  pthread_t thread;
  tenon_fake_guard guard;
} entered;

typedef struct {
  PyObject_HEAD tenon_fake_mode* mode;
  entered* last; /* entries of all threads, the last one first */
} fake_mode;

static PyTypeObject* mode_type;

static PyObject* mode_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  (void)kwargs;
  unsigned flags;
  tenon_fake_mode* mode;
  if (!PyArg_ParseTuple(args, "I:FakeMode", &flags)) return NULL;
  if (tnp_check(tenon_fake_mode_new(flags, &mode)) != 0) return NULL;
  fake_mode* self = (fake_mode*)type->tp_alloc(type, 0);
  if (self == NULL) {
    tenon_fake_mode_release(mode);
    return NULL;
  }
  self->mode = mode;
  return (PyObject*)self;
}

static PyObject* mode_enter(PyObject* object, PyObject* unused) {
  (void)unused;
  fake_mode* self = (fake_mode*)object;
  entered* place = PyMem_RawMalloc(sizeof *place);
  if (place == NULL) return PyErr_NoMemory();
  if (tnp_check(tenon_fake_mode_enter(self->mode, &place->guard)) != 0) {
    PyMem_RawFree(place);
    return NULL;
  }
  place->thread = pthread_self();
  place->outer = self->last;
  self->last = place;
  return Py_NewRef(object);
}

static PyObject* mode_exit(PyObject* object, PyObject* args) {
  (void)args;
  entered** place = &((fake_mode*)object)->last;
  while (*place != NULL && !pthread_equal((*place)->thread, pthread_self())) {
    place = &(*place)->outer;
  }
  if (*place == NULL) {
    return tnp_raise_format(TENON_ERROR_STATE,
                            "FakeTensorMode: a mode must be entered before it is left, got one "
                            "that the thread is not in");
  }
  /* If a generator leaves out of order, this is an error, and the mode stays entered. */
  if (tnp_check(tenon_fake_mode_leave(&(*place)->guard)) != 0) return NULL;
  entered* left = *place;
  *place = left->outer;
  PyMem_RawFree(left);
  Py_RETURN_NONE;
}

static void mode_dealloc(PyObject* object) {
  fake_mode* self = (fake_mode*)object;
  PyTypeObject* type = Py_TYPE(object);
  while (self->last != NULL) { /* entries of threads that ended inside the mode */
    entered* outer = self->last->outer;
    PyMem_RawFree(self->last);
    self->last = outer;
  }
  tenon_fake_mode_release(self->mode);
  type->tp_free(object);
  Py_DECREF(type);
}

static PyObject* mode_shape_env(PyObject* object, PyObject* unused) {
  (void)unused;
  tenon_shape_env* env;
  if (tnp_check(tenon_fake_mode_shape_env(((fake_mode*)object)->mode, &env)) != 0) return NULL;
  return tnp_shape_env_wrap(env);
}

static PyObject* mode_set_shape_env(PyObject* object, PyObject* given) {
  tenon_shape_env* env = tnp_shape_env_get(given);
  if (env == NULL) return NULL;
  if (tnp_check(tenon_fake_mode_set_shape_env(((fake_mode*)object)->mode, env)) != 0) return NULL;
  Py_RETURN_NONE;
}

static PyMethodDef mode_methods[] = {{"enter", mode_enter, METH_NOARGS, NULL},
                                     {"leave", mode_exit, METH_NOARGS, NULL},
                                     {"shape_env", mode_shape_env, METH_NOARGS, NULL},
                                     {"set_shape_env", mode_set_shape_env, METH_O, NULL},
                                     {NULL, NULL, 0, NULL}};
static PyType_Slot mode_slots[] = {{Py_tp_doc, "A fake mode of the C interface."},
                                   {Py_tp_new, mode_new},
                                   {Py_tp_dealloc, mode_dealloc},
                                   {Py_tp_methods, mode_methods},
                                   {0, NULL}};
static PyType_Spec mode_spec = {"tenon._tenon.FakeMode", sizeof(fake_mode), 0, Py_TPFLAGS_DEFAULT,
                                mode_slots};

/* ---- Tensors --------------------------------------------------------------------------------- */

static PyObject* is_fake(PyObject* module, PyObject* object) {
  (void)module;
  if (!TNP_IS_TENSOR(object)) Py_RETURN_FALSE;
  const tenon_tensor* tensor = tnp_tensor_get(object);
  return tensor != NULL ? PyBool_FromLong(tenon_tensor_is_fake(tensor)) : NULL;
}

static PyObject* copy_for(PyObject* object, tenon_fake_mode* mode) {
  tenon_tensor* tensor = tnp_tensor_get(object);
  tenon_tensor* made;
  if (tensor == NULL || tnp_check(tenon_tensor_copy_fake(tensor, mode, &made)) != 0) return NULL;
  if (made == tensor) {
    tenon_tensor_release(made);
    return Py_NewRef(object);
  }
  return tnp_tensor_wrap(made);
}

/* (tensor, mode or None): returns the fake tensor. */
static PyObject* copy_fake(PyObject* module, PyObject* args) {
  (void)module;
  PyObject *tensor, *mode;
  if (!PyArg_ParseTuple(args, "OO:copy_fake", &tensor, &mode)) return NULL;
  if (!TNP_IS_TENSOR(tensor)) {
    return tnp_raise_format(TENON_ERROR_TYPE, "from_tensor: tensor must be Tensor, got %s",
                            Py_TYPE(tensor)->tp_name);
  }
  if (mode != Py_None && Py_TYPE(mode) != mode_type) {
    return tnp_raise_format(TENON_ERROR_TYPE, "from_tensor: mode must be FakeMode, got %s",
                            Py_TYPE(mode)->tp_name);
  }
  return copy_for(tensor, mode != Py_None ? ((fake_mode*)mode)->mode : NULL);
}

/* (tensor, sizes as ints and SymInts): returns a fake tensor with those sizes. */
static PyObject* copy_symbolic(PyObject* module, PyObject* args) {
  (void)module;
  PyObject *object, *sizes;
  if (!PyArg_ParseTuple(args, "OO!:copy_symbolic", &object, &PyTuple_Type, &sizes)) return NULL;
  if (!TNP_IS_TENSOR(object)) {
    return tnp_raise_format(TENON_ERROR_TYPE, "from_tensor: tensor must be Tensor, got %s",
                            Py_TYPE(object)->tp_name);
  }
  tenon_tensor* tensor = tnp_tensor_get(object);
  if (tensor == NULL) return NULL;
  Py_ssize_t ndim = PyTuple_GET_SIZE(sizes);
  if (ndim != tenon_tensor_ndim(tensor)) {
    return tnp_raise_format(TENON_ERROR_INVALID_ARGUMENT,
                            "from_tensor: sizes must be %d, as many as the tensor has, got %zd",
                            (int)tenon_tensor_ndim(tensor), ndim);
  }
  int64_t words[TENON_TENSOR_MAX_DIMS];
  for (Py_ssize_t i = 0; i < ndim; i++) {
    PyObject* size = PyTuple_GET_ITEM(sizes, i);
    words[i] =
        tnp_is_symbol(size) ? tenon_dim_of_symbol(tnp_symbol_get(size)) : PyLong_AsLongLong(size);
    if (words[i] == -1 && PyErr_Occurred()) return NULL;
    if (!tnp_is_symbol(size) && words[i] < 0) {
      return tnp_raise_format(TENON_ERROR_INVALID_ARGUMENT,
                              "from_tensor: sizes must be 0 or more, got %lld",
                              (long long)words[i]);
    }
  }
  tenon_tensor* made;
  if (tnp_check(tenon_tensor_copy_symbolic(tensor, NULL, words, &made)) != 0) return NULL;
  return tnp_tensor_wrap(made);
}

PyObject* tnp_in_fake_mode(PyObject* made) {
  static tnp_op_cache op_clone = {"aten::clone", NULL};
  if (made == NULL) return NULL;
  if (TNP_UNLIKELY(tenon_graph_is_recording())) {
    /* Clone the constant: the graph holds its present elements and each run works on a copy, so
     * that writes by the function do not affect later runs. */
    PyObject* op = tnp_cached_op(&op_clone);
    PyObject* copy = op != NULL ? ((tnp_op*)op)->vectorcall(op, &made, 1, NULL) : NULL;
    if (copy != NULL) {
      Py_DECREF(made);
      return copy;
    }
    PyErr_Clear(); /* a fake mode that rejects real tensors */
  }
  tenon_fake_mode* mode = tenon_fake_mode_copy_current();
  if (TNP_LIKELY(mode == NULL)) return made;
  tenon_fake_mode_release(mode);
  PyObject* fake = copy_for(made, NULL);
  Py_DECREF(made);
  return fake;
}

PyObject* tnp_fake_like(PyObject* made, PyObject* other) {
  if (made == NULL || !TNP_IS_TENSOR(other)) return made;
  const tenon_tensor* tensor = tnp_tensor_get(other);
  if (tensor != NULL && TNP_LIKELY(!tenon_tensor_is_fake(tensor))) return made;
  PyObject* fake = tensor != NULL ? copy_for(made, NULL) : NULL;
  Py_DECREF(made);
  return fake;
}

static PyObject* in_fake_mode(PyObject* module, PyObject* tensor) {
  (void)module;
  if (!TNP_IS_TENSOR(tensor)) {
    return tnp_raise_format(TENON_ERROR_TYPE, "tensor must be Tensor, got %s",
                            Py_TYPE(tensor)->tp_name);
  }
  return tnp_in_fake_mode(Py_NewRef(tensor));
}

static PyObject* fake_running(PyObject* module, PyObject* unused) {
  (void)module;
  (void)unused;
  const tenon_op* op = tenon_fake_running();
  return op != NULL ? tnp_op_object(op) : Py_NewRef(Py_None);
}

/* (min, max): returns the SymInt of a new data-dependent size. */
static PyObject* fake_new_size(PyObject* module, PyObject* args) {
  (void)module;
  long long min, max;
  tenon_value size;
  if (!PyArg_ParseTuple(args, "LL:fake_new_size", &min, &max)) return NULL;
  if (tnp_check(tenon_fake_new_size(min, max, &size)) != 0) return NULL;
  PyObject* result = tnp_from_value(&size, true);
  tenon_value_clear(&size);
  return result;
}

static PyMethodDef functions[] = {
    {"is_fake", is_fake, METH_O, "is_fake(object, /)\n--\n\nTells whether it is a fake tensor."},
    {"copy_fake", copy_fake, METH_VARARGS,
     "copy_fake(tensor, mode, /)\n--\n\nReturns a fake tensor like a real one."},
    {"copy_symbolic", copy_symbolic, METH_VARARGS,
     "copy_symbolic(tensor, sizes, /)\n--\n\nReturns a fake tensor like one, of symbolic sizes."},
    {"in_fake_mode", in_fake_mode, METH_O,
     "in_fake_mode(tensor, /)\n--\n\nReturns a new tensor, a fake one in a fake mode."},
    {"fake_new_size", fake_new_size, METH_VARARGS,
     "fake_new_size(min, max, /)\n--\n\nReturns a size that only elements tell."},
    {"fake_running", fake_running, METH_NOARGS,
     "fake_running()\n--\n\nReturns the operator whose fake kernel runs, or None."},
    {NULL, NULL, 0, NULL}};

int tnp_fake_init(PyObject* module) {
  if (PyModule_AddFunctions(module, functions) != 0) return -1;
  return tnp_add_type(module, &mode_type, &mode_spec, NULL);
}
