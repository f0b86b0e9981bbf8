// SPDX-License-Identifier: Apache-2.0
// Replacing the tensors that a call returned.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "base/small_vector.h"
#include "tensor/tensor.h"
#include "value/value.h"

namespace tenon::dispatch {

/// Replaces each tensor of a list with `other(Tensor&)`, unless that is empty.
template <class Other>
void replace_in_list(tenon_value* list, const Other& other) {
  std::vector<tensor::TensorPtr> owners;
  base::SmallVector<tensor::Tensor*, 8> tensors(std::span(value::tensors(*list), list->count));
  for (tensor::Tensor*& each : tensors) {
    if (each == nullptr) continue;
    if (tensor::TensorPtr tensor = other(*each)) {
      each = tensor.get();
      owners.push_back(std::move(tensor));
    }
  }
  if (owners.empty()) return;
  const tenon_value replaced =
      value::new_list(TENON_TAG_TENSOR_LIST, tensors.data(), static_cast<int64_t>(tensors.size()));
  value::clear(list);
  *list = replaced;
}

/// Like replace_in_list(), for all results.
template <class Other>
void replace_results(tenon_stack* stack, const Other& other) {
  for (uint32_t i = 0; i < stack->nrets; ++i) {
    tenon_value& ret = stack->rets[i];
    if (ret.tag == TENON_TAG_TENSOR_LIST) replace_in_list(&ret, other);
    if (ret.tag != TENON_TAG_TENSOR) continue;
    if (tensor::TensorPtr tensor = other(*ret.as.tensor)) {
      value::clear(&ret);
      ret = tenon_value_give(tenon_value_of_tensor(tensor.detach()));
    }
  }
}

}  // namespace tenon::dispatch
