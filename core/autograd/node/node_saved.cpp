// SPDX-License-Identifier: Apache-2.0
#include "autograd/node/node_saved.h"

#include "autograd/node/node_run.h"
#include "autograd/node/packed_list.h"
#include "autograd/node/saved_value.h"
#include "base/check.h"
#include "value/value.h"

namespace tenon::autograd {

namespace {

const Save& checked_save(const char* function, const Node& node, int64_t index) {
  const int64_t count = saved_count(node);
  TENON_CHECK_INDEX(index >= 0 && index < count, function, ": index must be below ", count,
                    ", got ", index);
  return node.plan().saves[static_cast<size_t>(index)];
}

// Returns the index of a saved value among those of its kind: tensors are stored apart from other
// values.
size_t number_of(const Node& node, int64_t index) {
  const auto& saves = node.plan().saves;
  size_t number = 0;
  for (int64_t i = 0; i < index; ++i) {
    number +=
        saves[static_cast<size_t>(i)].is_tensor == saves[static_cast<size_t>(index)].is_tensor;
  }
  return number;
}

const char* suffix_of(Attribute what) noexcept {
  switch (what) {
    case Attribute::kSizes:
      return "_sizes";
    case Attribute::kStrides:
      return "_strides";
    case Attribute::kOffset:
      return "_storage_offset";
    case Attribute::kDtype:
      return "_dtype";
    case Attribute::kWhole:
      break;
  }
  return "";
}

}  // namespace

int64_t saved_count(const Node& node) noexcept {
  // Nodes of views have no schema that could name their saved values.
  if (node.is_leaf() || node.plan().schema == nullptr) return 0;
  return static_cast<int64_t>(node.plan().saves.size());
}

std::string saved_name(const Node& node, int64_t index) {
  const Save& save = checked_save("tenon_node_saved_name", node, index);
  const schema::Schema& schema = *node.plan().schema;
  if (!save.of_result) {
    return base::concat(schema.arguments()[save.position].name.view(), suffix_of(save.what));
  }
  const auto& returns = schema.returns();
  const std::string_view name = returns[save.position].name.view();
  if (!name.empty()) return base::concat(name, suffix_of(save.what));
  if (returns.size() == 1) return base::concat("result", suffix_of(save.what));
  return base::concat("result", save.position, suffix_of(save.what));
}

tenon_value copy_saved(Node& node, int64_t index) {
  const Save& save = checked_save("tenon_node_copy_saved", node, index);
  const SavedValuesGuard reading(node);
  const size_t number = number_of(node, index);
  if (!save.is_tensor) return copy_saved_value(node, number, true);
  tensor::TensorPtr tensor = unpack(node, node.saved_tensors()[number], true);
  if (tensor == nullptr) return tenon_value_of_none();
  return tenon_value_give(tenon_value_of_tensor(tensor.detach()));
}

void pack_saved(Node& node, int64_t index, const SavedHooksPtr& hooks) {
  constexpr const char* kFunction = "tenon_node_pack_saved";
  const Save& save = checked_save(kFunction, node, index);
  const SavedValuesGuard reading(node);
  const size_t number = number_of(node, index);
  if (!save.is_tensor) {
    TENON_CHECK_ARG(node.saved_values()[number].tag == TENON_TAG_TENSOR_LIST, kFunction,
                    ": saved value must be a tensor or a list of tensors to be packed, got ",
                    saved_name(node, index));
    return pack_list(node, number, hooks);
  }
  SavedTensor& saved = node.saved_tensors()[number];
  TENON_CHECK_ARG(saved.tensor != nullptr, kFunction, ": ", saved_name(node, index),
                  " must be a tensor to be packed, got none");
  TENON_CHECK(!saved.is_packed(), TENON_ERROR_STATE, kFunction, ": ", saved_name(node, index),
              " must not have been packed before");
  pack(&saved, hooks);
}

}  // namespace tenon::autograd
