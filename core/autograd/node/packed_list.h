// SPDX-License-Identifier: Apache-2.0
// PackedList: a list of tensors that a node has saved, packed by a hook.
#pragma once

#include <vector>

#include "autograd/node/saved_tensor.h"

namespace tenon::autograd {

/// One packed tensor of the list, and where its gradient flowed when it was packed. Empty for an
/// absent tensor.
struct PackedElement {
  PackedElement() noexcept = default;
  ~PackedElement() { saved.clear(); }
  PackedElement(const PackedElement&) = delete;
  PackedElement& operator=(const PackedElement&) = delete;

  SavedTensor saved;
  base::IntrusivePtr<tenon_node> node;
  uint32_t output = 0;
};

/// A packed list. The saved value in the node is replaced by a list of absent tensors of the same
/// length.
struct PackedList {
  size_t value;  // index among the saved values
  std::vector<PackedElement> elements;
};

/// Packs the tensors of a saved list with a hook. Throws the hook's errors, and TENON_ERROR_STATE
/// if the list is already packed or was written since it was saved; the list then stays unchanged.
void pack_list(tenon_node& node, size_t value, const SavedHooksPtr& hooks);
/// Like pack_list(), for all lists that a node saved.
void pack_lists(tenon_node& node, const SavedHooksPtr& hooks);

/// Returns the packed list that replaces a saved value; NULL if the value is not packed.
const PackedList* packed_list(const tenon_node& node, size_t value) noexcept;

/// Returns the unpacked list, owned by the caller. With `linked`, its tensors lead to the nodes
/// that they led to when they were packed. Throws the hook's errors.
tenon_value unpack(tenon_node& node, const PackedList& list, bool linked);

}  // namespace tenon::autograd
