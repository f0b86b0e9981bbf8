// SPDX-License-Identifier: Apache-2.0
#include "autograd/saved_value.h"

#include "base/small_vector.h"
#include "value/value.h"

namespace tenon::autograd {

namespace {

using tensor::Tensor;

tenon_value sizes_of(const Tensor& tensor) {
  return tenon_value_of_ints(tensor.sizes(), static_cast<uint32_t>(tensor.ndim()));
}

tenon_value sizes_of_list(const tenon_value& list) {
  base::SmallVector<tenon_value, 8> sizes(list.count);
  for (uint32_t i = 0; i < list.count; ++i) sizes[i] = sizes_of(*value::tensors(list)[i]);
  return value::new_list(TENON_TAG_LIST, sizes.data(), list.count);
}

}  // namespace

tenon_value saved_value(const Save& save, const tenon_stack& stack) {
  const tenon_value& value = save.of_result ? stack.rets[save.position] : stack.args[save.position];
  if (save.what == Attribute::kWhole) return value::copy(value);
  if (save.what == Attribute::kSizes && value.tag == TENON_TAG_TENSOR_LIST) {
    return sizes_of_list(value);
  }
  const Tensor* tensor = defined_tensor(value);
  if (tensor == nullptr) return tenon_value_of_none();
  switch (save.what) {
    case Attribute::kDtype:
      return tenon_value_of_dtype(tensor->dtype());
    case Attribute::kOffset:
      return tenon_value_of_int(tensor->offset());
    case Attribute::kStrides:
      return value::copy(
          tenon_value_of_ints(tensor->strides(), static_cast<uint32_t>(tensor->ndim())));
    default:
      return value::copy(sizes_of(*tensor));
  }
}

}  // namespace tenon::autograd
