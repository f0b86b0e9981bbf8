/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors on foreign memory: declarations shared by the importers. */
#ifndef TENON_PYTHON_EXCHANGE_H
#define TENON_PYTHON_EXCHANGE_H

#include "native.h"

/* Strided CPU memory; strides in elements. */
typedef struct {
  void* data;
  tenon_dtype dtype;
  int32_t ndim;
  const int64_t* sizes;
  const int64_t* strides;
  bool writable;
} tnp_memory;

/* Creates a tensor on memory kept alive by `object` (a new reference is taken) or by `view` (taken
 * over); the other one is NULL. Returns 0, or -1 with an exception. */
int tnp_wrap_memory(const tnp_memory* memory, PyObject* object, const Py_buffer* view,
                    tenon_tensor** out);
/* Converts byte strides to element strides. Returns false if they are negative or not multiples of
 * the item size. */
bool tnp_to_elements(int ndim, const Py_ssize_t* shape, const Py_ssize_t* bytes, int64_t itemsize,
                     int64_t* sizes, int64_t* strides);

/* numpy.c. Returns the number of dims of an ndarray. */
int tnp_ndarray_ndim(PyObject* array);
/* Returns true for a numpy scalar, which carries its own dtype. */
static inline bool tnp_is_numpy_scalar(PyObject* object) {
  return strncmp(Py_TYPE(object)->tp_name, "numpy.", 6) == 0 && !tnp_is_ndarray(object);
}
/* Stores the dtype of a numpy scalar. Returns 0, or -1 with an exception. */
int tnp_numpy_scalar_dtype(PyObject* scalar, tenon_dtype* out);

/* Importers, one per kind of object. tnp_import_array returns 0, or -1 with an exception. */
int tnp_import_array(PyObject* array, tenon_tensor** out); /* numpy.c; an ndarray */
/* Like tnp_import: return 1, 0 for an object of another kind, or -1. */
int tnp_import_dlpack(PyObject* object, tenon_tensor** out, const char** refusal); /* dlpack.c */
int tnp_import_table(PyObject* object, tenon_tensor** out,
                     const char** refusal); /* exchange_table.c */
/* Checks for traits that sharing the memory would lose, such as requires_grad of PyTorch's tensors.
 * Returns 1 with `refusal`, 0 if there are none, or -1 with an exception. */
int tnp_refuse_traits(PyObject* object, const char** refusal);
int tnp_table_init(void);

#endif
