// SPDX-License-Identifier: Apache-2.0
// OwnArguments: a copy of a call's arguments, with which a layer repeats the call on other tensors.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "base/small_vector.h"
#include "tensor/tensor.h"
#include "value/value.h"

namespace tenon::dispatch {

/// A copy of a call's arguments in which tensors can be replaced, also inside lists, tuples and
/// dicts. Owns the replacements and borrows everything else from the original stack.
class OwnArguments {
 public:
  /// Copies the arguments and clears their movable flags. Throws std::bad_alloc.
  explicit OwnArguments(const tenon_stack& stack)
      : args_(std::span<const tenon_value>(stack.args, stack.nargs)) {
    for (tenon_value& arg : args_) arg.flags &= static_cast<uint16_t>(~TENON_VALUE_MOVABLE);
  }
  ~OwnArguments() {
    for (tenon_tensor* tensor : tensors_) tensor->release();
  }
  OwnArguments(const OwnArguments&) = delete;
  OwnArguments& operator=(const OwnArguments&) = delete;

  /// Calls `replacement(Tensor&)` for each tensor and replaces the tensor by the result, unless
  /// that is empty. This object owns a result that is a TensorPtr; a Tensor* must live as long as
  /// the tensor that it replaces.
  template <class Replace>
  void replace_tensors(Replace&& replacement) {
    for (tenon_value& arg : args_) replace_in(&arg, replacement, 0);
  }

  /// Returns the arguments, for replacing values that hold no tensors.
  std::span<tenon_value> values() noexcept { return {args_.data(), args_.size()}; }

  /// Returns a stack with these arguments and the results of `outer`.
  tenon_stack stack_for(const tenon_stack& outer) noexcept {
    tenon_stack stack{};
    stack.args = args_.data();
    stack.nargs = static_cast<uint32_t>(args_.size());
    stack.rets = outer.rets;
    stack.nrets = outer.nrets;
    return stack;
  }

 private:
  static constexpr int kMaxNesting = 64;  // levels that key extraction searches

  static tenon_tensor* keep(tensor::Tensor* other) noexcept { return other; }
  // Keeps a replacement alive and returns its address.
  tenon_tensor* keep(tensor::TensorPtr other) {
    tensors_.push_back(other.get());
    return other.detach();
  }

  template <class Replace>
  void replace_in(tenon_value* value, Replace& replacement, int depth) {
    if (value->tag == TENON_TAG_TENSOR) {
      if (value->as.tensor == nullptr) return;
      if (auto other = replacement(*value->as.tensor)) {
        value->as.tensor = keep(std::move(other));
      }
    } else if (value->tag == TENON_TAG_TENSOR_LIST) {
      replace_elements(value, replacement);
    } else if (value::is_value_list(value->tag) && value->count != 0 && depth < kMaxNesting) {
      values_.emplace_back(value::elements(*value),
                           value::elements(*value) + value::element_count(*value));
      // These elements do not move when values_ grows.
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
      if (auto other = replacement(*element)) element = keep(std::move(other));
    }
    lists_.push_back(std::move(elements));
    value->as.list = {lists_.back().data(), nullptr};
  }

  base::SmallVector<tenon_value, 8> args_;
  base::SmallVector<tenon_tensor*, 8> tensors_;  // owned
  std::vector<std::vector<tenon_tensor*>> lists_;
  std::vector<std::vector<tenon_value>> values_;
};

}  // namespace tenon::dispatch
