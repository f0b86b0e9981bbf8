// SPDX-License-Identifier: Apache-2.0
// Layers of grad and jvp on the transform stack, and their tensors.
//
// A tensor of such a layer wraps the tensor below it, and has its own nodes or tangent, which the
// tensor below does not see. A tensor that outlives its layer acts as the tensor below. A backward
// pass over a graph that a grad layer recorded therefore computes in the layers outside of it.
#pragma once

#include <span>
#include <vector>

#include "autograd/forward/dual_level.h"
#include "dispatch/transform.h"
#include "tenon/check.h"

namespace tenon::autograd {

dispatch::LayerPtr enter_grad_layer();
dispatch::LayerPtr enter_jvp_layer();
/// Removes the layer from the calling thread's stack, on which it must be the innermost. Releases
/// the tangents of a jvp layer.
void leave_layer(dispatch::Layer& layer);

bool is_grad_layer(const dispatch::Layer& layer) noexcept;

/// Returns a tensor of a grad layer that gradients flow to. Throws TENON_ERROR_STATE for dtypes
/// that cannot have a gradient.
tensor::TensorPtr new_tracked(dispatch::Layer& layer, tensor::Tensor& below);
/// Returns an untracked tensor of the layer.
tensor::TensorPtr new_constant(dispatch::Layer& layer, tensor::Tensor& below);
/// Returns an untracked alias of the tensor below, in the layer of `tensor`, which may have ended;
/// NULL if `tensor` belongs to no grad or jvp layer.
tensor::TensorPtr constant_alias(const tensor::Tensor& tensor);
/// Returns a tensor of a jvp layer with a tangent of the primal's sizes and dtype. Throws
/// TENON_ERROR_STATE.
tensor::TensorPtr new_dual(dispatch::Layer& layer, tensor::Tensor& primal, tensor::Tensor& tangent);
/// Returns a tensor's tangent at a jvp layer, unwrapped to the level below; NULL if there is none.
tensor::TensorPtr tangent_below(dispatch::Layer& layer, tensor::Tensor& tensor);
/// Returns the tensor below a tensor of the layer, or the tensor itself if it belongs to another.
tensor::TensorPtr unwrap(dispatch::Layer& layer, tensor::Tensor& tensor);

}  // namespace tenon::autograd

/// The graph of a function's call that a grad layer recorded, kept after the layer was left. It
/// leads from the function's results to its arguments.
struct tenon_pullback final : tenon::base::RefCounted<tenon_pullback> {
  using Tensors = std::vector<tenon::tensor::TensorPtr>;

  tenon_pullback(Tensors its_outputs, Tensors its_inputs) noexcept
      : outputs(std::move(its_outputs)), inputs(std::move(its_inputs)) {}

  const Tensors outputs;
  const Tensors inputs;

  /// Returns the gradients of the inputs, given those of the outputs; zeros for an input that no
  /// output depends on. The pass is recorded if grad mode is on.
  Tensors run(std::span<tenon_tensor* const> grads) const;
};

namespace tenon::autograd {

using Pullback = ::tenon_pullback;
using PullbackPtr = base::IntrusivePtr<Pullback>;

/// See tenon_vjp and tenon_jvp.
PullbackPtr vjp(tenon_callable function, void* ctx, tenon_stack* stack);
void jvp(tenon_callable function, void* ctx, tenon_stack* stack,
         std::span<tensor::Tensor* const> tangents, tenon_value* out_tangents);

}  // namespace tenon::autograd
