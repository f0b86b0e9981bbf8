// SPDX-License-Identifier: Apache-2.0
// What a node saves of a call beside tensors.
#pragma once

#include "autograd/node.h"
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

/// How often tensors in saved lists have been written, taken together: what is written later makes
/// it larger. Throws TENON_ERROR_STATE for inference tensors, whose writes nobody counts.
int64_t versions_of_lists(const Node& node, std::span<const tenon_value> saved);
/// Throws TENON_ERROR_STATE where a tensor in a list that a node of such a plan has saved was
/// written since.
void check_lists(Node& node);

}  // namespace tenon::autograd
