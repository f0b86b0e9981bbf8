// SPDX-License-Identifier: Apache-2.0
// Numbers as tensors.
#include <complex>

#include "base/check.h"
#include "tensor/tensor.h"

namespace tenon::tensor {

namespace {

const char* kind_of(const tenon_value& value) noexcept {
  switch (value.tag) {
    case TENON_TAG_NONE:
      return "None";
    case TENON_TAG_STRING:
      return "str";
    case TENON_TAG_TENSOR:
      return "Tensor";
    default:
      return value.tag >= TENON_TAG_INT_LIST ? "a list" : "a value of another type";
  }
}

template <class T>
TensorPtr make_number(tenon_dtype dtype, T value) {
  TensorPtr tensor = new_tensor(dtype, nullptr, {});
  *static_cast<T*>(tensor->data()) = value;
  tensor->set_wrapped_number(true);
  return tensor;
}

}  // namespace

TensorPtr new_number(const tenon_value& number) {
  switch (number.tag) {
    case TENON_TAG_BOOL:
      return make_number<uint8_t>(TENON_DTYPE_BOOL, number.as.i != 0);
    case TENON_TAG_INT:
      return make_number<int64_t>(TENON_DTYPE_I64, number.as.i);
    case TENON_TAG_FLOAT:
      return make_number<double>(TENON_DTYPE_F64, number.as.f);
    case TENON_TAG_COMPLEX:
      return make_number<std::complex<double>>(TENON_DTYPE_C128,
                                               {number.as.c.real, number.as.c.imag});
    default:
      fail(TENON_ERROR_TYPE,
           "tenon_tensor_new_number: number must be bool, int, float or complex, got ",
           kind_of(number));
  }
}

}  // namespace tenon::tensor
