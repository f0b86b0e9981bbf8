// SPDX-License-Identifier: Apache-2.0
// Calls of jvp functions: what a language computes tangents with.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "autograd/formula/callback_formula.h"
#include "autograd/forward/dual_level.h"
#include "autograd/node/node.h"
#include "value/value.h"

namespace tenon::autograd {

/// Calls a formula's jvp with the inputs' tangents (NULL: none) and returns what it gives for each
/// of the outputs, NONE or a tensor. `context` is the call's, NULL without; where it materializes,
/// absent tangents of floating and complex inputs are zeros. Throws what jvp raised, and
/// TENON_ERROR_TYPE for what is no tensor.
std::vector<value::OwnedValue> call_jvp(const CallbackFormula& formula,
                                        tenon_function_context* context,
                                        std::span<tensor::Tensor* const> inputs,
                                        std::span<const tensor::TensorPtr> tangents,
                                        size_t outputs);

/// Forward mode in one call of a function.
class FunctionJvp {
 public:
  /// Whether a function without jvp is refused, or its tangents derived from its backward.
  enum class WithoutJvp { kRefused, kDerived };

  /// Returns NULL if no input has a tangent. Throws TENON_ERROR_NOT_SUPPORTED for a function
  /// without jvp, unless its tangents are derived from its backward.
  static std::unique_ptr<FunctionJvp> begin(const CallbackFormula& formula,
                                            std::span<tensor::Tensor* const> inputs,
                                            WithoutJvp without_jvp);
  FunctionJvp(const FunctionJvp&) = delete;
  FunctionJvp& operator=(const FunctionJvp&) = delete;

  /// Gives the outputs (NULL: none) of a call that is recorded the tangents that jvp computes. One
  /// that is an input was written in place. Throws as call_jvp, and TENON_ERROR_STATE for a tangent
  /// that an output cannot have.
  void finish(tenon_function_context& context, Node* node,
              std::span<tensor::Tensor* const> outputs) const;
  /// Returns true if the call must have a node, though no gradient flows to an input.
  bool needs_node() const noexcept { return formula_.callbacks().jvp == nullptr; }

 private:
  std::vector<value::OwnedValue> compute(tenon_function_context& context, Node* node,
                                         size_t outputs) const;
  FunctionJvp(DualLevel& level, const CallbackFormula& formula)
      : level_(level), formula_(formula) {}
  void give(tensor::Tensor& output, const tensor::TensorPtr& tangent) const;

  DualLevel& level_;
  const CallbackFormula& formula_;
  std::vector<tensor::TensorPtr> inputs_;
  std::vector<tensor::TensorPtr> tangents_;
};

}  // namespace tenon::autograd
