// SPDX-License-Identifier: Apache-2.0
#include "dispatch/multi_output_view.h"

#include <algorithm>

#include "tensor/tensor.h"

namespace tenon::dispatch {

namespace {

bool is_list_of_views(const schema::Argument& result) noexcept {
  return result.alias != nullptr && !result.is_written() && result.type->kind == TENON_TYPE_LIST &&
         result.type->elements[0]->kind == TENON_TYPE_TENSOR;
}

void mark(const tenon_value& list) noexcept {
  const auto* tensors = static_cast<tensor::Tensor* const*>(list.as.list.data);
  for (uint32_t i = 0; i < list.count; ++i) {
    tensor::Tensor* view = tensors[i];
    if (view == nullptr || view->base() == nullptr) continue;
    if (view->view_origin() == tensor::ViewOrigin::kDefault) {
      view->set_view_origin(tensor::ViewOrigin::kMultiOutput);
    }
  }
}

}  // namespace

bool returns_multi_output_views(const schema::Schema& schema) noexcept {
  return std::ranges::any_of(schema.returns(), is_list_of_views);
}

void mark_multi_output_views(const schema::Schema& schema, const tenon_stack& stack) noexcept {
  const auto& returns = schema.returns();
  for (size_t i = 0; i < returns.size() && i < stack.nrets; ++i) {
    const tenon_value& value = stack.rets[i];
    if (value.tag == TENON_TAG_TENSOR_LIST && is_list_of_views(returns[i])) mark(value);
  }
}

}  // namespace tenon::dispatch
