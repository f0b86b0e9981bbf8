// SPDX-License-Identifier: Apache-2.0
// OwnArguments: a layer's own copy of a call's arguments, for calling on with other tensors.
#pragma once

#include <vector>

#include "tensor/tensor.h"
#include "value/value.h"

namespace tenon::dispatch {

/// Arguments of which some tensors are replaced, in lists, tuples and dicts too. Borrows all else
/// from the stack that it was made from, and owns what replaces.
class OwnArguments {
 public:
  /// Copies the arguments, unmovable. Throws std::bad_alloc.
  explicit OwnArguments(const tenon_stack& stack) : args_(stack.args, stack.args + stack.nargs) {
    for (tenon_value& arg : args_) arg.flags &= static_cast<uint16_t>(~TENON_VALUE_MOVABLE);
  }

  /// Calls `replacement(Tensor&)` for each tensor; what it returns, unless empty, takes its place.
  template <class Replace>
  void replace_tensors(Replace&& replacement) {
    for (tenon_value& arg : args_) replace_in(&arg, replacement, 0);
  }

  /// A stack of these arguments and another one's results.
  tenon_stack stack_for(const tenon_stack& outer) noexcept {
    tenon_stack stack{};
    stack.args = args_.data();
    stack.nargs = static_cast<uint32_t>(args_.size());
    stack.rets = outer.rets;
    stack.nrets = outer.nrets;
    return stack;
  }
  const std::vector<tenon_value>& args() const noexcept { return args_; }

 private:
  static constexpr int kMaxNesting = 64;  // as key extraction looks

  template <class Replace>
  void replace_in(tenon_value* value, Replace& replacement, int depth) {
    if (value->tag == TENON_TAG_TENSOR) {
      if (value->as.tensor == nullptr) return;
      if (tensor::TensorPtr other = replacement(*value->as.tensor)) {
        value->as.tensor = other.get();
        tensors_.push_back(std::move(other));
      }
    } else if (value->tag == TENON_TAG_TENSOR_LIST) {
      replace_elements(value, replacement);
    } else if (value::is_value_list(value->tag) && value->count != 0 && depth < kMaxNesting) {
      values_.emplace_back(value::elements(*value),
                           value::elements(*value) + value::element_count(*value));
      // The vector's elements stay where they are when values_ grows.
      tenon_value* elements = values_.back().data();
      const uint64_t count = value::element_count(*value);
      for (uint64_t i = 0; i < count; ++i) replace_in(&elements[i], replacement, depth + 1);
      value->as.list = {elements, nullptr};
    }
  }

  template <class Replace>
  void replace_elements(tenon_value* value, Replace& replacement) {
    std::vector<tenon_tensor*> elements(value::tensors(*value),
                                        value::tensors(*value) + value->count);
    for (tenon_tensor*& element : elements) {
      if (element == nullptr) continue;
      if (tensor::TensorPtr other = replacement(*element)) {
        element = other.get();
        tensors_.push_back(std::move(other));
      }
    }
    lists_.push_back(std::move(elements));
    value->as.list = {lists_.back().data(), nullptr};
  }

  std::vector<tenon_value> args_;
  std::vector<tensor::TensorPtr> tensors_;
  std::vector<std::vector<tenon_tensor*>> lists_;
  std::vector<std::vector<tenon_value>> values_;
};

}  // namespace tenon::dispatch
