// SPDX-License-Identifier: Apache-2.0
// PackedList: a list of tensors that a node has saved, packed by a hook.
#pragma once

#include <vector>

#include "autograd/node/saved_tensor.h"

namespace tenon::autograd {

/// One tensor of the list, and where its gradient went when it was packed. Absent where there is
/// none.
struct PackedElement {
  PackedElement() noexcept = default;
  ~PackedElement() { saved.clear(); }
  PackedElement(const PackedElement&) = delete;
  PackedElement& operator=(const PackedElement&) = delete;

  SavedTensor saved;
  base::IntrusivePtr<tenon_node> node;
  uint32_t output = 0;
};

/// The node keeps a list of as many absent tensors as its saved value.
struct PackedList {
  size_t value;  // its number among the saved values
  std::vector<PackedElement> elements;
};

/// Lets a hook pack the tensors of a saved value that is a list. Throws what the hook raised,
/// TENON_ERROR_STATE for a list that is packed already or was written since; the list stays as it
/// was then.
void pack_list(tenon_node& node, size_t value, const SavedHooksPtr& hooks);
/// The same for all lists that a node saved.
void pack_lists(tenon_node& node, const SavedHooksPtr& hooks);

/// The packed list in the place of a saved value; NULL where there is none.
const PackedList* packed_list(const tenon_node& node, size_t value) noexcept;

/// The list as it was, owned by the caller. `linked`: its tensors lead to where they led when they
/// were packed. Throws what the hook raised.
tenon_value unpack(tenon_node& node, const PackedList& list, bool linked);

}  // namespace tenon::autograd
