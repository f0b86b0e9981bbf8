// SPDX-License-Identifier: Apache-2.0
// Calls of jvp callbacks, which compute tangents.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "autograd/formula/callback_formula.h"
#include "autograd/forward/dual_level.h"
#include "autograd/node/node.h"
#include "value/value.h"

namespace tenon::autograd {

/// Calls a formula's jvp with the inputs' tangents (NULL: none) and returns its tangent for each
/// output, NONE or a tensor. `context` belongs to the call, or is NULL; if it materializes, absent
/// tangents of floating and complex inputs are passed as zeros. Throws the errors of the jvp, and
/// TENON_ERROR_TYPE if it returns anything that is not a tensor.
std::vector<value::OwnedValue> call_jvp(const CallbackFormula& formula,
                                        tenon_function_context* context,
                                        std::span<tensor::Tensor* const> inputs,
                                        std::span<const tensor::TensorPtr> tangents,
                                        size_t outputs);

/// Forward mode in one call of a function.
class FunctionJvp {
 public:
  /// How to treat a function without jvp: throw, or derive its tangents from backward.
  enum class WithoutJvp { kRefused, kDerived };

  /// Returns NULL if no input has a tangent. Throws TENON_ERROR_NOT_SUPPORTED for a function
  /// without jvp, unless its tangents are derived from its backward.
  static std::unique_ptr<FunctionJvp> begin(const CallbackFormula& formula,
                                            std::span<tensor::Tensor* const> inputs,
                                            WithoutJvp without_jvp);
  FunctionJvp(const FunctionJvp&) = delete;
  FunctionJvp& operator=(const FunctionJvp&) = delete;

  /// Sets the tangents of the outputs (NULL: not a tensor) of a recorded call. An output that is an
  /// input was written in place. Throws like call_jvp(), and TENON_ERROR_STATE for a tangent that
  /// does not fit its output.
  void finish(tenon_function_context& context, Node* node,
              std::span<tensor::Tensor* const> outputs) const;
  /// Returns true if the call needs a node even if no gradient flows to an input.
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
