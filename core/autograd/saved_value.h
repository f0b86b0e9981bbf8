// SPDX-License-Identifier: Apache-2.0
// What a node saves of a call beside tensors.
#pragma once

#include "autograd/formula.h"
#include "tensor/tensor.h"

namespace tenon::autograd {

/// The tensor of a value; NULL where there is none, or the undefined one.
inline tensor::Tensor* defined_tensor(const tenon_value& value) noexcept {
  if (value.tag != TENON_TAG_TENSOR || value.as.tensor == nullptr) return nullptr;
  return value.as.tensor->is_undefined() ? nullptr : value.as.tensor;
}

/// A copy of what is to be saved, owned by the caller: an argument or result that is no tensor, or
/// sizes, strides and so on of one. Throws TENON_ERROR_OUT_OF_MEMORY.
tenon_value saved_value(const Save& save, const tenon_stack& stack);

}  // namespace tenon::autograd
