// SPDX-License-Identifier: Apache-2.0
#include "autograd/node/saved_value.h"

#include "autograd/formula/words.h"
#include "autograd/node/packed_list.h"
#include "base/check.h"
#include "base/small_vector.h"
#include "value/value.h"

namespace tenon::autograd {

namespace {

using tensor::Tensor;

tenon_value sizes_of(const Tensor& tensor) {
  if (tensor.is_symbolic()) return words_value(tensor.size_span());
  return tenon_value_of_ints(tensor.sizes(), static_cast<uint32_t>(tensor.ndim()));
}

tenon_value sizes_of_list(const tenon_value& list) {
  base::SmallVector<tenon_value, 8> sizes(list.count);
  for (uint32_t i = 0; i < list.count; ++i) sizes[i] = sizes_of(*value::tensors(list)[i]);
  return value::new_list(TENON_TAG_LIST, sizes.data(), list.count);
}

// Returns the sum of the versions of the tensors in saved lists. The node keeps it as an extra last
// value.
int64_t versions_of_lists(const Node& node, std::span<const tenon_value> saved) {
  int64_t sum = 0;
  for (const tenon_value& each : saved) {
    if (each.tag != TENON_TAG_TENSOR_LIST) continue;
    for (uint32_t i = 0; i < each.count; ++i) {
      const Tensor* tensor = value::tensors(each)[i];
      if (tensor == nullptr || tensor->is_undefined()) continue;
      if (tensor->is_inference()) refuse_inference(node.name(), *tensor);
      sum += tensor->version();
    }
  }
  return sum;
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
      return value::copy(word_value(tensor->offset()));
    case Attribute::kStrides:
      return value::copy(words_value(tensor->stride_span()));
    default:
      return value::copy(sizes_of(*tensor));
  }
}

void note_versions_of_lists(Node& node) {
  const std::span<tenon_value> saved = node.saved_values();
  saved.back() = tenon_value_of_int(versions_of_lists(node, saved));
}

void check_lists(Node& node) {
  const std::span<const tenon_value> saved = node.saved_values();
  const int64_t written = versions_of_lists(node, saved) - saved.back().as.i;
  TENON_CHECK(written == 0, TENON_ERROR_STATE, node.name(),
              ": a list of tensors needed for gradient computation has been modified by an inplace "
              "operation since it was saved, got ",
              written, written == 1 ? " such operation" : " such operations");
}

tenon_value copy_saved_value(Node& node, size_t number, bool linked) {
  const tenon_value& value = node.saved_values()[number];
  if (value.tag != TENON_TAG_TENSOR_LIST) return value::copy(value);
  check_lists(node);
  const PackedList* packed = packed_list(node, number);
  return packed != nullptr ? unpack(node, *packed, linked) : value::copy(value);
}

}  // namespace tenon::autograd
