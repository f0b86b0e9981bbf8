// SPDX-License-Identifier: Apache-2.0
// Values that a node saves besides tensors.
#pragma once

#include "autograd/node/node.h"
#include "tensor/tensor.h"

namespace tenon::autograd {

/// Returns the tensor of a value; NULL if there is none or it is undefined.
inline tensor::Tensor* defined_tensor(const tenon_value& value) noexcept {
  if (value.tag != TENON_TAG_TENSOR || value.as.tensor == nullptr) return nullptr;
  return value.as.tensor->is_undefined() ? nullptr : value.as.tensor;
}

/// Returns an owned copy of a value to save: an argument or result that is not a tensor, or an
/// attribute of one that is, such as its sizes. Throws TENON_ERROR_OUT_OF_MEMORY.
tenon_value saved_value(const Save& save, const tenon_stack& stack);

/// Stores in the node the sum of the versions of all tensors in its saved lists, which any later
/// write increases. Throws TENON_ERROR_STATE for inference tensors, whose writes are not counted.
void note_versions_of_lists(Node& node);
/// Throws TENON_ERROR_STATE if a tensor in a saved list was written since it was saved.
void check_lists(Node& node);

/// Returns an owned copy of a saved value, with packed lists unpacked. `linked`: see unpack().
/// Throws like check_lists(), and the errors of hooks.
tenon_value copy_saved_value(Node& node, size_t number, bool linked);

}  // namespace tenon::autograd
