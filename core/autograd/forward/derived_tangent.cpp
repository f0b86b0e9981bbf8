// SPDX-License-Identifier: Apache-2.0
#include "autograd/forward/derived_tangent.h"

#include <algorithm>

#include "autograd/engine/engine.h"
#include "autograd/node/node_run.h"
#include "autograd/operators.h"
#include "autograd/record/grad_mode_guard.h"
#include "autograd/tensor_state.h"
#include "base/check.h"

namespace tenon::autograd {

using tensor::Tensor;
using tensor::TensorPtr;

namespace {

// Reduces and casts a gradient to the sizes and dtype of its input, as the engine does.
TensorPtr fit(TensorPtr grad, const Tensor& input) {
  if (!std::ranges::equal(grad->size_span(), input.size_span())) {
    grad = operators::sum_to(*grad, input.size_span());
  }
  if (grad->dtype() != input.dtype()) grad = operators::cast(*grad, input.dtype());
  return grad;
}

bool is_recorded(Node& node, std::span<const TensorPtr> tangents) {
  if (base::grad_mode() != TENON_GRAD_MODE_ON) return false;
  return std::ranges::any_of(node.edges(), [](const Edge& edge) { return edge.node != nullptr; }) ||
         std::ranges::any_of(tangents, [](const TensorPtr& tangent) {
           return tangent != nullptr && requires_grad(*tangent);
         });
}

}  // namespace

std::vector<TensorPtr> derive_tangents(Node& node, std::span<Tensor* const> inputs,
                                       std::span<const TensorPtr> tangents) {
  const bool recorded = is_recorded(node, tangents);
  const GradModeGuard guard(true);
  std::vector<TensorPtr> given(node.output_count());
  std::vector<Tensor*> grads(node.output_count(), nullptr);
  std::vector<Target> targets;
  std::vector<size_t> outputs;  // by target: the output that it belongs to
  for (uint32_t i = 0; i < node.output_count(); ++i) {
    if (node.output(i).dtype < 0) continue;
    given[i] = operators::zeros_for(node.output(i));
    set_requires_grad(*given[i], true);
    grads[i] = given[i].get();
    GradientEdge flow = gradient_edge(*given[i]);
    targets.push_back({std::move(flow.node), flow.output});
    outputs.push_back(i);
  }
  base::SmallVector<uint8_t, 8> needs(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) needs[i] = tangents[i] != nullptr ? 1 : 0;
  InputGrads input_grads(inputs.size());
  run_node(node, grads, needs, /*keep=*/true, &input_grads);
  std::vector<Root> roots;
  for (size_t i = 0; i < inputs.size(); ++i) {
    TensorPtr grad = input_grads.take(i);
    if (grad == nullptr || tangents[i] == nullptr) continue;
    GradientEdge flow = gradient_edge(*grad);
    TENON_CHECK(
        flow.node != nullptr || node.formula()->records_all(), TENON_ERROR_NOT_SUPPORTED,
        node.name(),
        ": gradient formula must call operators in grad mode, so that tangents can be derived from "
        "it, got a gradient without a recorded call; register a tangent formula for the operator");
    if (flow.node == nullptr) continue;
    flow = gradient_edge(*fit(std::move(grad), *inputs[i]));
    roots.push_back({std::move(flow.node), flow.output, tangents[i]});
  }
  std::vector<TensorPtr> found(node.output_count());
  if (roots.empty()) return found;
  std::vector<TensorPtr> derived = run_grad(roots, targets, {recorded, recorded});
  for (size_t i = 0; i < derived.size(); ++i) found[outputs[i]] = std::move(derived[i]);
  return found;
}

}  // namespace tenon::autograd
