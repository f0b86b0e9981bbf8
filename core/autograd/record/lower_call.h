// SPDX-License-Identifier: Apache-2.0
// LowerCall: a call of a custom autograd function at the levels below the innermost transform.
//
// Note: one node at each level. Forward runs once, on tensors of the innermost layer, and nothing
// that it calls is recorded at any level. Afterwards each level, from the lowest to the highest,
// records one node that links the arguments of the call, unwrapped to that level, with its
// unwrapped results. Every transform therefore sees the function's own gradient, in any nesting.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "autograd/formula/function_context.h"
#include "dispatch/transform.h"

namespace tenon::autograd {

class LowerCall {
 public:
  /// Begins the call at all levels below the innermost layer, with `inputs` (NULL: not a tensor)
  /// unwrapped to each level. Returns NULL if the thread has no layers, or if no gradient or
  /// tangent flows at any of these levels. Also returns NULL inside a kernel that a layer serves,
  /// because the operators that such a kernel calls are dispatched to the lower levels anyway.
  /// `records` is false if the call must not be recorded. Throws what FunctionJvp::begin() throws.
  static std::unique_ptr<LowerCall> begin(const CallbackFormula& formula,
                                          std::span<tensor::Tensor* const> inputs, bool records);
  LowerCall(const LowerCall&) = delete;
  LowerCall& operator=(const LowerCall&) = delete;

  /// Returns true if a gradient flows to an input at some level.
  bool needs_grad(size_t input) const noexcept;
  /// Returns true if an input has a tangent at some level.
  bool has_tangents() const noexcept;

  /// Records the call at these levels, with the state that forward stored in the context of the
  /// level above and its outputs there (NULL: not a tensor). An output whose tensor below has
  /// become an alias is replaced in `outputs` and the context. Throws TENON_ERROR_NOT_SUPPORTED for
  /// inputs or outputs that a vmap maps.
  void finish(FunctionContext& above, std::span<tensor::Tensor*> outputs);

 private:
  explicit LowerCall(dispatch::LayerPtr layer) noexcept : layer_(std::move(layer)) {}
  tensor::Tensor* below(tensor::Tensor* tensor) const noexcept;
  void check_not_mapped(const char* name, std::span<tensor::Tensor* const> outputs) const;

  const dispatch::LayerPtr layer_;  // the layer above; hidden while this call runs
  FunctionContextPtr context_;
  std::vector<tensor::TensorPtr> inputs_;
  std::unique_ptr<LowerCall> lower_;
  bool is_mapped_ = false;  // true if an input belongs to a vmap layer
};

}  // namespace tenon::autograd
