// SPDX-License-Identifier: Apache-2.0
#include "autograd/level.h"

#include "autograd/engine/engine.h"
#include "autograd/forward/tangent.h"
#include "autograd/operators.h"
#include "autograd/tensor_state.h"
#include "base/check.h"
#include "tensor/layout.h"

namespace tenon::autograd {

using dispatch::Layer;
using dispatch::LayerKind;
using dispatch::LayerPtr;
using dispatch::level_tensor;
using tensor::Tensor;
using tensor::TensorPtr;

namespace {

// Keys that a layer's tensors carry. Tracked ones carry Autograd as well.
constexpr tenon_keyset kCarried =
    dispatch::functionality_bit(TENON_FUNCTIONALITY_AD_INPLACE_OR_VIEW) |
    dispatch::functionality_bit(TENON_FUNCTIONALITY_AUTOCAST);
constexpr tenon_keyset kServing =
    kAutograd | dispatch::functionality_bit(TENON_FUNCTIONALITY_AD_INPLACE_OR_VIEW);

TensorPtr lift(Layer& layer, Tensor& below, const Tensor* view_of) {
  tensor::Geometry geometry(below.size_span(), below.strides(), below.offset());
  geometry.symbolic = below.is_symbolic();
  TensorPtr lifted =
      dispatch::new_level_tensor(layer, below, kCarried, geometry, nullptr, nullptr, view_of);
  if (below.is_symbolic()) lifted->share_symbols(below);
  return lifted;
}

constexpr LayerKind kGrad{.name = "grad",
                          .keys = kServing,
                          .include = 0,
                          .lift = &lift,
                          .dead_unwraps = true,
                          .opens_grad_mode = true};
constexpr LayerKind kJvp{.name = "jvp",
                         .keys = kServing,
                         .include = 0,
                         .lift = &lift,
                         .dead_unwraps = true,
                         .follows_tangents = true};

void check_differentiable(const Layer& layer, const char* what, const Tensor& tensor) {
  TENON_CHECK(is_differentiable(tensor.dtype()), TENON_ERROR_STATE, layer.kind().name, ": ", what,
              " must be floating point or complex to be differentiated, got ",
              tensor::dtype_name(tensor.dtype()));
}

}  // namespace

DualLevel* DualLevel::of_layer(const Layer& layer) noexcept {
  return &layer.kind() == &kJvp ? static_cast<DualLevel*>(layer.content()) : nullptr;
}

LayerPtr DualLevel::enter_layer() {
  auto level = base::IntrusivePtr<DualLevel>::adopt(new DualLevel);
  return dispatch::enter_layer(kJvp, level.detach(),
                               [](void* content) { static_cast<DualLevel*>(content)->release(); });
}

LayerPtr enter_grad_layer() { return dispatch::enter_layer(kGrad); }

LayerPtr enter_jvp_layer() { return DualLevel::enter_layer(); }

void leave_layer(Layer& layer) {
  dispatch::leave_layer(layer);
  if (DualLevel* level = DualLevel::of_layer(layer)) level->close();
}

bool is_grad_layer(const Layer& layer) noexcept { return &layer.kind() == &kGrad; }

TensorPtr new_constant(Layer& layer, Tensor& below) { return lift(layer, below, nullptr); }

TensorPtr constant_alias(const Tensor& tensor) {
  const dispatch::LevelTensor* level = level_tensor(tensor);
  if (level == nullptr || level->layer->kind().lift != &lift) return {};
  return lift(*level->layer, *level->below, nullptr);
}

TensorPtr new_tracked(Layer& layer, Tensor& below) {
  check_differentiable(layer, "tensor", below);
  TensorPtr tensor = lift(layer, below, nullptr);
  track(*tensor);
  return tensor;
}

TensorPtr new_dual(Layer& layer, Tensor& primal, Tensor& tangent) {
  check_differentiable(layer, "primal", primal);
  TENON_CHECK(std::ranges::equal(primal.size_span(), tangent.size_span()), TENON_ERROR_STATE,
              layer.kind().name, ": tangent must be of the primal's sizes ",
              tensor::print_dims(primal.size_span()), ", got ",
              tensor::print_dims(tangent.size_span()));
  TENON_CHECK(primal.dtype() == tangent.dtype(), TENON_ERROR_STATE, layer.kind().name,
              ": tangent must be of the primal's dtype ", tensor::dtype_name(primal.dtype()),
              ", got ", tensor::dtype_name(tangent.dtype()));
  TensorPtr dual = lift(layer, primal, nullptr);
  TensorPtr given = TensorPtr::share(&tangent);
  if (!is_laid_out_as(tangent, primal)) {
    const dispatch::BelowLayer below;
    given = laid_out_as(tangent, primal);
  }
  share_tangent(*DualLevel::of_layer(layer), *dual, lift(layer, *given, nullptr));
  return dual;
}

TensorPtr tangent_below(Layer& layer, Tensor& tensor) {
  TensorPtr tangent = tangent_of(tensor, *DualLevel::of_layer(layer));
  return tangent != nullptr ? unwrap(layer, *tangent) : nullptr;
}

TensorPtr unwrap(Layer& layer, Tensor& tensor) {
  const dispatch::LevelTensor* level = level_tensor(tensor, layer);
  return level != nullptr ? level->below : TensorPtr::share(&tensor);
}

}  // namespace tenon::autograd

using namespace tenon::autograd;

std::vector<tenon::tensor::TensorPtr> tenon_pullback::run(
    std::span<tenon_tensor* const> grads) const {
  TENON_CHECK_ARG(grads.size() == outputs.size(),
                  "vjp: number of gradients must be that of the outputs, ", outputs.size(),
                  ", got ", grads.size());
  // the recording layer has ended: run in the layers outside of it
  const tenon::dispatch::DispatchFromFront from_front;
  std::vector<Root> roots;
  for (size_t i = 0; i < outputs.size(); ++i) {
    tenon_tensor& output = *outputs[i];
    const bool is_given = grads[i] != nullptr;
    TENON_CHECK(is_given ? std::ranges::equal(grads[i]->size_span(), output.size_span())
                         : output.ndim() == 0,
                TENON_ERROR_STATE, "vjp: gradient ", i, " must be of the output's sizes ",
                tenon::tensor::print_dims(output.size_span()), ", got ",
                is_given ? tenon::tensor::print_dims(grads[i]->size_span())
                         : "none; a gradient may be left out only for a scalar output");
    GradientEdge edge = gradient_edge(output);
    if (edge.node == nullptr) continue;
    roots.push_back(
        {std::move(edge.node), edge.output,
         is_given ? tenon::tensor::TensorPtr::share(grads[i]) : operators::ones_like(output)});
  }
  std::vector<Target> targets;
  for (const tenon::tensor::TensorPtr& input : inputs) {
    GradientEdge edge = linked_edge(*input);
    targets.push_back({std::move(edge.node), edge.output});
  }
  const bool recorded = tenon::base::grad_mode() == TENON_GRAD_MODE_ON;
  std::vector<tenon::tensor::TensorPtr> found =
      roots.empty() ? std::vector<tenon::tensor::TensorPtr>(targets.size())
                    : run_grad(roots, targets, {true, recorded});
  for (size_t i = 0; i < found.size(); ++i) {
    if (found[i] == nullptr) {
      found[i] = operators::zeros_like(*inputs[i]);
    } else {
      found[i] =
          tenon::tensor::TensorPtr::share(&tenon::dispatch::unwrap_ended_levels("vjp", *found[i]));
    }
  }
  return found;
}
