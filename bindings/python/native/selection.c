/* SPDX-License-Identifier: Apache-2.0 */
/* Indexing with tensors, masks and sequences: first applies the other keys as views, then calls
 * aten::index with the tensors, or aten::index_put_. */
#include "selection.h"

static tnp_op_cache op_index = {"aten::index.Tensor", NULL};
static tnp_op_cache op_index_put = {"aten::index_put_", NULL};
static tnp_op_cache op_masked_fill = {"aten::masked_fill_.Tensor", NULL};

/* The tensor left to index, and the index tensor of each of its dims, NULL for dims without one. */
typedef struct {
  PyObject* tensor;
  PyObject* owned[TENON_TENSOR_MAX_DIMS];
  tenon_tensor* indices[TENON_TENSOR_MAX_DIMS];
  uint32_t owned_count;
  uint32_t count;
  int64_t covered; /* number of dims that the indices cover; a mask may cover several */
} selection;

static void selection_clear(selection* s) {
  Py_CLEAR(s->tensor);
  for (uint32_t i = 0; i < s->owned_count; i++) Py_DECREF(s->owned[i]);
  s->owned_count = 0;
}

static int refuse_count(void) {
  tnp_raise_format(TENON_ERROR_INDEX, "index: indices must be at most %d, got more",
                   TENON_TENSOR_MAX_DIMS);
  return -1;
}

static inline bool is_mask(const tenon_tensor* tensor) {
  tenon_dtype dtype = tenon_tensor_dtype(tensor);
  return dtype == TENON_DTYPE_BOOL || dtype == TENON_DTYPE_U8;
}

/* Returns the number of dims that an index tensor covers. */
static int64_t dims_of(const tenon_tensor* tensor) {
  return is_mask(tensor) ? tenon_tensor_ndim(tensor) : 1;
}

/* Adds an index tensor, which is consumed, for dim `at`. Returns 0, or -1 with an exception. */
static int add_index(selection* s, PyObject* object, int64_t at) {
  const tenon_tensor* tensor = tnp_tensor_get(object);
  bool fits = s->count + (at - s->covered) < TENON_TENSOR_MAX_DIMS;
  if (tensor == NULL || !fits) {
    Py_DECREF(object);
    return tensor == NULL ? -1 : refuse_count();
  }
  for (; s->covered < at; s->covered++) s->indices[s->count++] = NULL;
  s->owned[s->owned_count++] = object;
  s->indices[s->count++] = (tenon_tensor*)tensor;
  s->covered += dims_of(tensor);
  return 0;
}

/* Returns the index for a bool: [0] for true, empty for false. It selects from an inserted dim of
 * size 1. */
static PyObject* index_of_bool(bool truth) {
  int64_t size = truth ? 1 : 0;
  tenon_tensor* tensor;
  void* data;
  if (tnp_check(tenon_tensor_new(TENON_DTYPE_I64, NULL, 1, &size, NULL, &tensor)) != 0) return NULL;
  PyObject* object = tnp_tensor_wrap(tensor);
  if (object == NULL || !truth) return object;
  if (tnp_check(tenon_tensor_data(tensor, &data)) != 0) {
    Py_DECREF(object);
    return NULL;
  }
  *(int64_t*)data = 0;
  return object;
}

/* ---- Keys ------------------------------------------------------------------------------------ */

static inline bool is_sequence(PyObject* key) {
  return PyList_Check(key) || PyTuple_Check(key) || PyRange_Check(key);
}

/* Returns true if a list is treated as a tuple, as in PyTorch: it is short and some element is a
 * key other than a number. */
static bool is_like_tuple(PyObject* key) {
  if (PyTuple_Check(key)) return true;
  if (!PyList_Check(key) || PyList_GET_SIZE(key) >= 32) return false;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(key); i++) {
    PyObject* item = PyList_GET_ITEM(key, i);
    if (item == Py_None || item == Py_Ellipsis || PySlice_Check(item) || TNP_IS_TENSOR(item) ||
        tnp_is_ndarray(item) || is_sequence(item)) {
      return true;
    }
  }
  return false;
}

/* Returns a tensor's key with sequences and arrays converted to tensors; a new reference. */
static PyObject* normalised(PyObject* key, PyObject* tensor) {
  if (tnp_is_ndarray(key)) return tnp_fake_like(tnp_from_numpy(NULL, key), tensor);
  if (is_sequence(key)) {
    PyObject* args[2] = {key, Py_None};
    bool is_empty = PyObject_Size(key) == 0;
    PyObject* dtype = is_empty ? tnp_dtype_object(TENON_DTYPE_I64) : Py_NewRef(Py_None);
    args[1] = dtype;
    PyObject* made = dtype ? tnp_tensor_from_data(NULL, args, 2) : NULL;
    Py_XDECREF(dtype);
    return tnp_fake_like(made, tensor);
  }
  if (tnp_is_index(key) || PySlice_Check(key) || key == Py_None || key == Py_Ellipsis ||
      PyBool_Check(key) || TNP_IS_TENSOR(key)) {
    return Py_NewRef(key);
  }
  return tnp_raise_format(
      PySequence_Check(key) ? TENON_ERROR_TYPE : TENON_ERROR_INDEX,
      "index: an index must be int, slice, None, Ellipsis, bool, a tensor or a sequence, got %s",
      Py_TYPE(key)->tp_name);
}

/* Returns the converted keys as a new tuple. */
static PyObject* normalised_all(PyObject* key, PyObject* tensor) {
  bool several = is_like_tuple(key);
  PyObject* items = several ? PySequence_Tuple(key) : PyTuple_Pack(1, key);
  if (items == NULL) return NULL;
  Py_ssize_t count = PyTuple_GET_SIZE(items);
  PyObject* keys = PyTuple_New(count);
  for (Py_ssize_t i = 0; keys != NULL && i < count; i++) {
    PyObject* item = normalised(PyTuple_GET_ITEM(items, i), tensor);
    if (item == NULL) {
      Py_CLEAR(keys);
    } else {
      PyTuple_SET_ITEM(keys, i, item);
    }
  }
  Py_DECREF(items);
  return keys;
}

/* Returns the number of dims that keys use; -1 with an exception if they are not valid. */
static int64_t count_used(PyObject* keys) {
  int64_t used = 0;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(keys); i++) {
    PyObject* key = PyTuple_GET_ITEM(keys, i);
    if (TNP_IS_TENSOR(key)) {
      const tenon_tensor* tensor = tnp_tensor_get(key);
      if (tensor == NULL) return -1;
      used += dims_of(tensor);
    } else if (key != Py_None && key != Py_Ellipsis && !PyBool_Check(key)) {
      used++;
    }
  }
  return used;
}

/* ---- Selections ------------------------------------------------------------------------------ */

/* Applies a bool or a 0-dim mask: inserts a dim of size 1 and selects from it. */
static int take_truth(selection* s, PyObject* key, int64_t* dim) {
  int truth = PyObject_IsTrue(key);
  if (truth < 0) return -1;
  s->tensor = tnp_take_unsqueeze(s->tensor, *dim);
  PyObject* index = s->tensor ? index_of_bool(truth) : NULL;
  return index ? add_index(s, index, (*dim)++) : -1;
}

static bool is_of_layer(const tenon_tensor* tensor) {
  tenon_layer* layer = tenon_tensor_copy_layer(tensor);
  if (layer != NULL) tenon_layer_release(layer);
  return layer != NULL;
}

static int take_tensor(selection* s, PyObject* key, int64_t* dim) {
  const tenon_tensor* tensor = tnp_tensor_get(key);
  if (tensor == NULL) return -1;
  if (TNP_UNLIKELY(tenon_tensor_dtype(tensor) == TENON_DTYPE_U8) &&
      PyErr_WarnEx(
          PyExc_UserWarning,
          "index: a mask must have dtype bool, got uint8, which is deprecated; cast it to bool",
          1) < 0) {
    return -1;
  }
  if (tenon_tensor_ndim(tensor) > 0) {
    int64_t dims = dims_of(tensor);
    if (add_index(s, Py_NewRef(key), *dim) != 0) return -1;
    *dim += dims;
    return 0;
  }
  if (is_mask(tensor)) return take_truth(s, key, dim);
  PyObject* number = PyNumber_Index(key);
  if (number == NULL) {
    PyErr_Clear();
    const bool is_integral =
        (tenon_dtype_traits(tenon_tensor_dtype(tensor)) & TENON_DTYPE_IS_INTEGRAL) != 0;
    if (is_integral && is_of_layer(tensor)) {
      /* Inside vmap each example has its own index, which only aten::index supports. */
      return add_index(s, Py_NewRef(key), (*dim)++);
    }
    tnp_raise_format(TENON_ERROR_INDEX,
                     "index: a tensor must be of integers or bools to be an index, got another");
    return -1;
  }
  s->tensor = tnp_take_select(s->tensor, *dim, number);
  Py_DECREF(number);
  return s->tensor ? 0 : -1;
}

static int take(selection* s, PyObject* key, int64_t* dim, int64_t left) {
  if (TNP_IS_TENSOR(key)) return take_tensor(s, key, dim);
  if (PyBool_Check(key)) return take_truth(s, key, dim);
  if (key == Py_Ellipsis) {
    *dim += left;
    return 0;
  }
  if (key == Py_None) {
    s->tensor = tnp_take_unsqueeze(s->tensor, (*dim)++);
  } else if (PySlice_Check(key)) {
    s->tensor = tnp_take_slice(s->tensor, (*dim)++, key);
  } else {
    s->tensor = tnp_take_select(s->tensor, *dim, key);
  }
  return s->tensor ? 0 : -1;
}

/* Fills `s`, which the caller clears. Returns 0, or -1 with an exception. */
static int selection_begin(selection* s, PyObject* self, PyObject* key) {
  *s = (selection){0};
  const tenon_tensor* tensor = tnp_tensor_get(self);
  PyObject* keys = tensor ? normalised_all(key, self) : NULL;
  if (keys == NULL) return -1;
  int64_t ndim = tenon_tensor_ndim(tensor);
  int64_t used = count_used(keys);
  int result = used < 0 ? -1 : 0;
  if (used > ndim) {
    tnp_raise_format(TENON_ERROR_INDEX, "index: indices must be for at most %lld dims, got %lld",
                     (long long)ndim, (long long)used);
    result = -1;
  }
  s->tensor = Py_NewRef(self);
  int64_t dim = 0;
  for (Py_ssize_t i = 0; result == 0 && i < PyTuple_GET_SIZE(keys); i++) {
    result = take(s, PyTuple_GET_ITEM(keys, i), &dim, ndim - used);
  }
  Py_DECREF(keys);
  return result;
}

static tenon_value list_of(const selection* s) {
  return (tenon_value){.tag = TENON_TAG_TENSOR_LIST, .count = s->count, .as.list.data = s->indices};
}

PyObject* tnp_select(PyObject* self, PyObject* key) {
  selection s;
  PyObject* result = NULL;
  if (selection_begin(&s, self, key) == 0) {
    if (s.count > 0) {
      tenon_value indices = list_of(&s);
      PyObject* op = tnp_cached_op(&op_index);
      result = op ? tnp_op_apply(op, s.tensor, &indices, 1) : NULL;
    } else if (s.tensor == self) {
      result = tnp_take_all(self, tnp_tensor_get(self));
    } else {
      result = Py_NewRef(s.tensor);
    }
  }
  selection_clear(&s);
  return result;
}

/* Returns true if there is one mask and a one-element value of another dtype, which is cast like a
 * number. */
static bool fills(const selection* s, PyObject* value) {
  if (s->count != 1 || !TNP_IS_TENSOR(value)) return false;
  const tenon_tensor* tensor = tnp_tensor_get(value);
  const tenon_tensor* target = tnp_tensor_get(s->tensor);
  return tensor != NULL && target != NULL && tenon_tensor_ndim(tensor) == 0 &&
         tenon_tensor_dtype(s->indices[0]) == TENON_DTYPE_BOOL &&
         tenon_tensor_dtype(tensor) != tenon_tensor_dtype(target);
}

/* Writes to the elements that `s` selects. */
static PyObject* put(selection* s, PyObject* value) {
  if (TNP_UNLIKELY(fills(s, value))) {
    PyObject* op = tnp_cached_op(&op_masked_fill);
    PyObject* args[4] = {NULL, s->tensor, s->owned[0], value};
    if (op == NULL) return NULL;
    return ((tnp_op*)op)->vectorcall(op, args + 1, 3 | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL);
  }
  PyObject* op = tnp_cached_op(&op_index_put);
  if (op == NULL) return NULL;
  PyObject* list = PyList_New(s->count);
  uint32_t owned = 0;
  for (uint32_t i = 0; list != NULL && i < s->count; i++) {
    PyObject* item = s->indices[i] == NULL ? Py_None : s->owned[owned++];
    PyList_SET_ITEM(list, i, Py_NewRef(item));
  }
  PyObject* args[4] = {NULL, s->tensor, list, value};
  PyObject* done =
      list ? ((tnp_op*)op)->vectorcall(op, args + 1, 3 | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL)
           : NULL;
  Py_XDECREF(list);
  return done;
}

int tnp_select_assign(PyObject* self, PyObject* key, PyObject* value) {
  selection s;
  int result = -1;
  if (selection_begin(&s, self, key) == 0) {
    if (s.count > 0) {
      PyObject* source = tnp_value_for(self, value, true);
      if (source != NULL) source = tnp_without_front(source);
      PyObject* done = source ? put(&s, source) : NULL;
      Py_XDECREF(source);
      Py_XDECREF(done);
      result = done ? 0 : -1;
    } else {
      result = tnp_tensor_assign(s.tensor, Py_Ellipsis, value);
    }
  }
  selection_clear(&s);
  return result;
}
