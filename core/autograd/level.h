// SPDX-License-Identifier: Apache-2.0
// Layers of grad and jvp on the transform stack, and their tensors.
//
// A tensor of such a layer has nodes, or a tangent, of its own, and stands for the tensor below,
// which knows nothing of them. What has outlived its layer stands for the tensor below alone: a
// backward pass over what a grad layer has recorded computes in the layers outside of it.
#pragma once

#include <span>
#include <vector>

#include "autograd/forward/dual_level.h"
#include "dispatch/transform.h"
#include "tenon/check.h"

namespace tenon::autograd {

dispatch::LayerPtr enter_grad_layer();
dispatch::LayerPtr enter_jvp_layer();
/// Takes the layer off the calling thread's stack, where it is the innermost; tangents of its
/// level go.
void leave_layer(dispatch::Layer& layer);

bool is_grad_layer(const dispatch::Layer& layer) noexcept;

/// A tensor of a grad layer that gradients flow to. Throws TENON_ERROR_STATE for dtypes that have
/// none.
tensor::TensorPtr new_tracked(dispatch::Layer& layer, tensor::Tensor& below);
/// A tensor of the layer that nothing flows to: what a call lifts.
tensor::TensorPtr new_constant(dispatch::Layer& layer, tensor::Tensor& below);
/// The same for what another tensor of a grad or jvp layer stands for, which may have ended; empty
/// for tensors of no such layer.
tensor::TensorPtr constant_alias(const tensor::Tensor& tensor);
/// A tensor of a jvp layer with a tangent of its sizes and dtype. Throws TENON_ERROR_STATE.
tensor::TensorPtr new_dual(dispatch::Layer& layer, tensor::Tensor& primal, tensor::Tensor& tangent);
/// A tensor's tangent at a jvp layer, as it is below; empty without one.
tensor::TensorPtr tangent_below(dispatch::Layer& layer, tensor::Tensor& tensor);
/// What a tensor of the layer stands for; the tensor itself for one that is not of it.
tensor::TensorPtr unwrap(dispatch::Layer& layer, tensor::Tensor& tensor);

}  // namespace tenon::autograd

/// What a function's call has recorded in a grad layer that was left since: from its results, as
/// the layer had them, to its arguments.
struct tenon_pullback final : tenon::base::RefCounted<tenon_pullback> {
  using Tensors = std::vector<tenon::tensor::TensorPtr>;

  tenon_pullback(Tensors its_outputs, Tensors its_inputs) noexcept
      : outputs(std::move(its_outputs)), inputs(std::move(its_inputs)) {}

  const Tensors outputs;
  const Tensors inputs;

  /// The gradients of the inputs, zeros for one that no output depends on, given those of the
  /// outputs. It is recorded where the thread is in grad mode.
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
