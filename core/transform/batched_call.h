// SPDX-License-Identifier: Apache-2.0
// BatchedCall: one call of an operator in a vmap, its tensors taken off the layer.
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

  /// False on a thread whose layer is no vmap: the call has nothing to do with one.
  bool is_mapped() const noexcept { return info_ != nullptr; }
  const VmapInfo& info() const noexcept { return *info_; }
  dispatch::Layer& layer() const noexcept { return *layer_; }
  /// Whether some tensor is mapped.
  bool has_mapped() const noexcept { return has_mapped_; }
  /// One for each tensor among the arguments, elements of lists one by one: the mapped dim of what
  /// stands for it below, kNotMapped where none is.
  std::span<const int64_t> dims() const noexcept { return {dims_.data(), dims_.size()}; }
  /// The call's arguments as they are below, and its own results.
  tenon_stack below(const tenon_stack& stack) noexcept { return arguments_.stack_for(stack); }

  /// Calls the operator below the layer, where nothing is mapped.
  tenon_status call_below(tenon_stack* stack);
  /// Makes the results from below the layer's. `out_dims` is a number for all, one for each tensor,
  /// or NONE where nothing is mapped. `who` gives them, for messages. Throws TENON_ERROR_STATE.
  void wrap_results(const std::string& who, const tenon_value& out_dims, tenon_stack* stack);

 private:
  // The argument that an operator such as t_ makes another view; NULL for other operators. A rule
  // gives the view, and the argument stands for it from then on.
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
