/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors detached from the graph: data and detach_. */
#include "native.h"

PyObject* tnp_tensor_get_data(PyObject* self, void* unused) {
  (void)unused;
  tenon_tensor* tensor = tnp_tensor_get(self);
  tenon_tensor* data = NULL;
  if (tensor == NULL || tnp_check(tenon_tensor_copy_data(tensor, &data)) != 0) return NULL;
  return tnp_tensor_wrap(data);
}

int tnp_tensor_set_data(PyObject* self, PyObject* value, void* unused) {
  (void)unused;
  if (value == NULL || !TNP_IS_TENSOR(value)) {
    tnp_raise_format(TENON_ERROR_TYPE, "data: value must be Tensor, got %s",
                     value ? Py_TYPE(value)->tp_name : "none");
    return -1;
  }
  tenon_tensor* tensor = tnp_tensor_get(self);
  tenon_tensor* data = tensor ? tnp_tensor_get(value) : NULL;
  return data ? tnp_check(tenon_tensor_set_data(tensor, data)) : -1;
}

PyObject* tnp_tensor_detach_in_place(PyObject* self, PyObject* unused) {
  (void)unused;
  tenon_tensor* tensor = tnp_tensor_get(self);
  if (tensor == NULL || tnp_check(tenon_tensor_detach(tensor)) != 0) return NULL;
  return Py_NewRef(self);
}
