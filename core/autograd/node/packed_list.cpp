// SPDX-License-Identifier: Apache-2.0
#include "autograd/node/packed_list.h"

#include <utility>

#include "autograd/node/node_extra.h"
#include "autograd/node/saved_value.h"
#include "autograd/tensor_state.h"
#include "base/check.h"
#include "base/small_vector.h"
#include "value/value.h"

namespace tenon::autograd {

using tensor::Tensor;
using tensor::TensorPtr;

void pack_list(Node& node, size_t value, const SavedHooksPtr& hooks) {
  TENON_CHECK(packed_list(node, value) == nullptr, TENON_ERROR_STATE, node.name(),
              ": saved list must not have been packed before");
  check_lists(node);
  tenon_value& slot = node.saved_values()[value];
  PackedList list{value, std::vector<PackedElement>(slot.count)};
  for (uint32_t i = 0; i < slot.count; ++i) {
    Tensor* const tensor = value::tensors(slot)[i];
    if (tensor == nullptr || tensor->is_undefined()) continue;
    PackedElement& element = list.elements[i];
    GradientEdge flow = gradient_edge(*tensor);
    element.node = std::move(flow.node);
    element.output = flow.output;
    tensor->retain();
    element.saved.tensor = tensor;
    pack(&element.saved, hooks);
  }
  const base::SmallVector<Tensor*, 8> absent(slot.count, nullptr);
  value::OwnedValue whole(value::new_list(TENON_TAG_TENSOR_LIST, absent.data(), slot.count));
  node.require_extra().packed_lists.push_back(std::move(list));
  whole = value::OwnedValue(std::exchange(slot, whole.release()));
  note_versions_of_lists(node);
}

void pack_lists(Node& node, const SavedHooksPtr& hooks) {
  const auto saved = node.saved_values();
  for (size_t i = 0; i < saved.size(); ++i) {
    if (saved[i].tag == TENON_TAG_TENSOR_LIST) pack_list(node, i, hooks);
  }
}

const PackedList* packed_list(const Node& node, size_t value) noexcept {
  const NodeExtra* extra = node.extra();
  if (extra == nullptr) return nullptr;
  for (const PackedList& list : extra->packed_lists) {
    if (list.value == value) return &list;
  }
  return nullptr;
}

tenon_value unpack(Node& node, const PackedList& list, bool linked) {
  base::SmallVector<Tensor*, 8> tensors;
  std::vector<TensorPtr> kept;
  for (const PackedElement& element : list.elements) {
    TensorPtr tensor = unpack(node, element.saved, false);
    if (tensor != nullptr && linked) {
      tensor = with_edge(std::move(tensor), {element.node.get(), element.output});
    }
    tensors.push_back(tensor.get());
    kept.push_back(std::move(tensor));
  }
  return value::new_list(TENON_TAG_TENSOR_LIST, tensors.data(),
                         static_cast<int64_t>(tensors.size()));
}

}  // namespace tenon::autograd
