// SPDX-License-Identifier: Apache-2.0
// BatchedCall: one call of an operator in a vmap, with its tensors unwrapped from the layer.
#pragma once

#include <string>

#include "dispatch/own_arguments.h"
#include "dispatch/transform.h"
#include "transform/vmap_layer.h"

namespace tenon::transform {

class BatchedCall {
 public:
  static constexpr int64_t kNotMapped = -1;

  /// Throws TENON_ERROR_STATE for tensors of a vmap that has ended.
  BatchedCall(const tenon_op& op, const tenon_stack& stack);
  BatchedCall(const BatchedCall&) = delete;
  BatchedCall& operator=(const BatchedCall&) = delete;

  /// Returns true if the thread's innermost layer is a vmap. Otherwise this layer leaves the call
  /// alone.
  bool is_mapped() const noexcept { return info_ != nullptr; }
  const VmapInfo& info() const noexcept { return *info_; }
  dispatch::Layer& layer() const noexcept { return *layer_; }
  /// Returns true if an argument tensor is mapped.
  bool has_mapped() const noexcept { return has_mapped_; }
  /// Returns an entry for each tensor among the arguments, with elements of lists as separate
  /// entries: the mapped dim of the tensor below, or kNotMapped.
  std::span<const int64_t> dims() const noexcept { return {dims_.data(), dims_.size()}; }
  /// Returns a stack with the unwrapped arguments and the results of `stack`.
  tenon_stack below(const tenon_stack& stack) noexcept { return arguments_.stack_for(stack); }

  /// Calls the operator below the layer. Requires that no argument is mapped.
  tenon_status call_below(tenon_stack* stack);
  /// Wraps the results in tensors of the layer. `out_dims` is one mapped dim for all results, a
  /// list with one per tensor, or NONE if they are not mapped. `who` names the rule in messages.
  /// Throws TENON_ERROR_STATE.
  void wrap_results(const std::string& who, const tenon_value& out_dims, tenon_stack* stack);

 private:
  // Returns the argument that an in-place view operator such as t_ restrides; NULL for other
  // operators. For such a call, a rule returns a view of the tensor below, and the argument is made
  // to wrap that view.
  tensor::Tensor* viewed_in_place() const;
  tensor::TensorPtr wrap(const std::string& who, tensor::Tensor& result, int64_t dim) const;

  const tenon_op& op_;
  dispatch::Layer* const layer_;  // on the thread's stack, hidden while a rule runs; may be NULL
  const VmapInfo* info_ = nullptr;
  bool has_mapped_ = false;
  base::SmallVector<int64_t, 8> dims_;
  dispatch::Replacements replacements_;
  dispatch::OwnArguments arguments_;
};

}  // namespace tenon::transform
