// SPDX-License-Identifier: Apache-2.0
// LowerCall: what a call of a function with a gradient of its own is at the levels below the
// innermost transform.
//
// Forward runs once, on tensors of the innermost layer, and no level records what it calls. Each
// level then gets a node of its own, from the tensors that the arguments stand for there to those
// that the results stand for, from the lowest level upwards. So the function's own gradient is what
// every layer sees, however transforms are nested.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "autograd/function_context.h"
#include "dispatch/transform.h"

namespace tenon::autograd {

class LowerCall {
 public:
  /// Begins the call on what `inputs` (NULL: no tensors) stand for below the innermost layer, and
  /// at all levels below that. NULL where no gradient or tangent flows to any of them, where the
  /// thread has no layers, and in a kernel that a layer serves: its operators reach lower levels by
  /// themselves. `records` is false where the call must not be recorded. Throws what
  /// FunctionJvp::begin() throws.
  static std::unique_ptr<LowerCall> begin(const CallbackFormula& formula,
                                          std::span<tensor::Tensor* const> inputs, bool records);
  LowerCall(const LowerCall&) = delete;
  LowerCall& operator=(const LowerCall&) = delete;

  /// Returns true if a gradient flows to an input at some level.
  bool needs_grad(size_t input) const noexcept;
  /// Returns true if an input has a tangent at some level.
  bool has_tangents() const noexcept;

  /// Records the call at these levels, with what forward has left in the context of the level above
  /// and the outputs (NULL: no tensors) that it gave there. An output whose tensor below has become
  /// an alias is replaced, there and in the context. Throws TENON_ERROR_NOT_SUPPORTED for outputs
  /// or inputs that a vmap maps.
  void finish(FunctionContext& above, std::span<tensor::Tensor*> outputs);

 private:
  explicit LowerCall(dispatch::LayerPtr layer) noexcept : layer_(std::move(layer)) {}
  tensor::Tensor* below(tensor::Tensor* tensor) const noexcept;
  void check_not_mapped(const char* name, std::span<tensor::Tensor* const> outputs) const;

  const dispatch::LayerPtr layer_;  // the one above, which is hidden at this level
  FunctionContextPtr context_;
  std::vector<tensor::TensorPtr> inputs_;
  std::unique_ptr<LowerCall> lower_;
  bool is_mapped_ = false;  // an input is of a vmap's layer
};

}  // namespace tenon::autograd
