// SPDX-License-Identifier: Apache-2.0
// What a node saves of a call beside tensors.
#pragma once

#include "autograd/node/node.h"
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

/// Has a node that saved lists remember how often their tensors have been written, taken together:
/// what is written later makes it larger. Throws TENON_ERROR_STATE for inference tensors, whose
/// writes nobody counts.
void note_versions_of_lists(Node& node);
/// Throws TENON_ERROR_STATE where a tensor in a list that such a node has saved was written since.
void check_lists(Node& node);

/// A copy of a value that a node has saved, owned by the caller: of a packed list what a hook
/// unpacks. `linked`: see unpack. Throws as check_lists, and what the hook raised.
tenon_value copy_saved_value(Node& node, size_t number, bool linked);

}  // namespace tenon::autograd
