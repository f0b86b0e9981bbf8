/* SPDX-License-Identifier: Apache-2.0 */
/* Foreign memory under tensors: what its kinds of import share. */
#ifndef TENON_PYTHON_EXCHANGE_H
#define TENON_PYTHON_EXCHANGE_H

#include "native.h"

/* Strided CPU memory, in elements. */
typedef struct {
  void* data;
  tenon_dtype dtype;
  int32_t ndim;
  const int64_t* sizes;
  const int64_t* strides;
  bool writable;
} tnp_memory;

/* A tensor on memory that `object` (a new reference is taken) or `view` (which is taken over) keeps
 * alive; the one not meant is NULL. 0, or -1 with an exception. */
int tnp_wrap_memory(const tnp_memory* memory, PyObject* object, const Py_buffer* view,
                    tenon_tensor** out);
/* Byte strides into element strides; false when they are not whole or negative. */
bool tnp_to_elements(int ndim, const Py_ssize_t* shape, const Py_ssize_t* bytes, int64_t itemsize,
                     int64_t* sizes, int64_t* strides);

/* numpy.c. The number of dims of an ndarray. */
int tnp_ndarray_ndim(PyObject* array);
/* Returns true for a scalar of numpy, which has a dtype of its own. */
static inline bool tnp_is_numpy_scalar(PyObject* object) {
  return strncmp(Py_TYPE(object)->tp_name, "numpy.", 6) == 0 && !tnp_is_ndarray(object);
}
/* Stores the dtype of a scalar of numpy: 0, or -1 with an exception. */
int tnp_numpy_scalar_dtype(PyObject* scalar, tenon_dtype* out);

/* One kind of import each: 0, or -1 with an exception. */
int tnp_import_array(PyObject* array, tenon_tensor** out); /* numpy.c; an ndarray */
/* As tnp_import: 1, 0 for an object of another kind, or -1. */
int tnp_import_dlpack(PyObject* object, tenon_tensor** out, const char** refusal); /* dlpack.c */
int tnp_import_table(PyObject* object, tenon_tensor** out,
                     const char** refusal); /* exchange_table.c */
/* Whether an object says of itself that its memory alone is not what it means, as PyTorch's tensors
 * that require grad do: 1 with `refusal`, 0, or -1 with an exception. */
int tnp_refuse_traits(PyObject* object, const char** refusal);
int tnp_table_init(void);

#endif
