// SPDX-License-Identifier: Apache-2.0
#include "autograd/tensor_state.h"

#include <algorithm>

#include "autograd/node/node_extra.h"
#include "autograd/node/view_node.h"
#include "base/check.h"
#include "base/spin_guard.h"
#include "tensor/layout.h"

namespace tenon::autograd {

using tensor::Tensor;
using tensor::TensorPtr;
using tensor::ViewOrigin;

namespace {

// The state of views, of tensors whose output index does not fit their header, and of tensors that
// have had a tangent. Any thread may change the gradient edge of a view at any time.
class AutogradExtra final : public tensor::AutogradState,
                            public tensor::BlockAllocated<AutogradExtra> {
 public:
  AutogradExtra() noexcept {
    drop = [](tensor::AutogradState* self) noexcept { delete static_cast<AutogradExtra*>(self); };
  }

  GradientEdge edge() const noexcept {
    const base::SpinGuard guard(locked_);
    return edge_;
  }
  /// For views: also returns the storage version at which the edge was computed.
  GradientEdge edge(uint32_t* out_version) const noexcept {
    const base::SpinGuard guard(locked_);
    *out_version = version_;
    return edge_;
  }
  void set(GradientEdge edge, uint32_t version) noexcept {
    const base::SpinGuard guard(locked_);
    std::swap(edge_, edge);  // the old edge is released after the lock
    version_ = version;
  }
  TangentSlot& tangent() noexcept { return tangent_; }

 private:
  GradientEdge edge_;
  uint32_t version_ = 0;
  mutable std::atomic<bool> locked_{false};
  TangentSlot tangent_;
};

AutogradExtra* extra_of(const Tensor& tensor) noexcept {
  const bool linked = tensor.base() != nullptr || tensor.autograd_note() == kHasExtra;
  return linked ? static_cast<AutogradExtra*>(tensor.autograd()) : nullptr;
}

uint32_t version_of(const Tensor& tensor) noexcept {
  return static_cast<uint32_t>(tensor.version());
}

// Returns the storage version at which the view's gradient edge, possibly empty, was computed.
uint32_t known_version(const Tensor& view) noexcept {
  uint32_t version = 0;
  if (const AutogradExtra* link = extra_of(view)) {
    link->edge(&version);
    return version;
  }
  // The header stores the low eight bits of the version, which only ever grows.
  const uint32_t now = version_of(view);
  return now - static_cast<uint8_t>(now - view.autograd_note());
}

// Returns the state of a view, created on first use, or an existing state. A new state has the
// version that the view was made at.
AutogradExtra& require_extra(Tensor& view) {
  if (AutogradExtra* link = extra_of(view)) return *link;
  TENON_DCHECK(view.base() != nullptr);
  auto fresh = std::make_unique<AutogradExtra>();
  fresh->set({}, known_version(view));
  tensor::AutogradState* state = view.init_autograd(fresh.get());
  if (state == fresh.get()) static_cast<void>(fresh.release());
  return *static_cast<AutogradExtra*>(state);
}

}  // namespace

GradientEdge linked_edge(const Tensor& tensor) noexcept {
  if (const AutogradExtra* link = extra_of(tensor)) return link->edge();
  // Otherwise the state is the node itself; a view without state has no node.
  if (tensor.base() != nullptr || tensor.autograd() == nullptr) return {};
  return {NodePtr::share(static_cast<Node*>(tensor.autograd())), tensor.autograd_note()};
}

namespace {

// Moves the tensor's retained gradient to its new node.
void follow(const Tensor& tensor, const GradientEdge& before, Node& node, uint32_t output) {
  if (before.node == nullptr || before.node->extra() == nullptr) return;
  move_retained(tensor, *before.node, before.output, node, output);
}

bool requires_gradient(const GradientEdge& edge) noexcept {
  return edge.node != nullptr && (!edge.node->is_leaf() || edge.node->requires_grad());
}

// Returns the leaf of a tensor that no recorded call has made, created on first use.
NodePtr require_leaf(Tensor& tensor) {
  GradientEdge edge = linked_edge(tensor);
  if (edge.node != nullptr) return edge.node;
  NodePtr leaf = Node::make_leaf(tensor);
  if (tensor.base() != nullptr || extra_of(tensor) != nullptr) {
    require_extra(tensor).set({leaf, 0}, version_of(tensor));
    return leaf;
  }
  tensor::AutogradState* state = tensor.init_autograd(leaf.get());
  if (state == leaf.get()) static_cast<void>(leaf.detach());
  return NodePtr::share(static_cast<Node*>(state));
}

GradientEdge gradient_edge_of_view(Tensor& view, Tensor& base) {
  AutogradExtra& link = require_extra(view);
  const uint32_t now = version_of(view);
  uint32_t version = 0;
  GradientEdge edge = link.edge(&version);
  if (version == now) {
    if (requires_gradient(edge)) return edge;
    // The view was made in no_grad mode from a tracked base that was not written since, or before
    // its base required grad: it becomes a leaf itself.
    NodePtr leaf = require_leaf(view);
    leaf->set_requires_grad(true);
    return {std::move(leaf), 0};
  }
  TENON_CHECK(view.view_origin() == ViewOrigin::kDefault, TENON_ERROR_STATE, "a view that ",
              origin_text(view),
              " must not be used after its base, or another view of it, was modified inplace in "
              "grad mode; ",
              origin_advice(view.view_origin()));
  GradientEdge fresh{make_view_node(view, base), 0};
  follow(view, edge, *fresh.node, 0);
  link.set(fresh, now);
  return fresh;
}

}  // namespace

namespace {

const char* text_of(ViewOrigin origin) noexcept {
  switch (origin) {
    case ViewOrigin::kNoGrad:
      return "was created in no_grad mode";
    case ViewOrigin::kInference:
      return "was created in inference mode";
    case ViewOrigin::kMultiOutput:
      return "is the output of a function that returns multiple views";
    case ViewOrigin::kFunction:
      return "was created inside a custom Function";
    case ViewOrigin::kDefault:
      break;
  }
  return "is a view";
}

}  // namespace

std::string origin_text(const Tensor& view) {
  const char* text = text_of(view.view_origin());
  const GradientEdge edge = linked_edge(view);
  if (edge.node == nullptr || edge.node->is_leaf()) return text;
  return base::concat(text, " (output ", edge.output, " of ", edge.node->name(), ")");
}

const char* origin_advice(ViewOrigin origin) noexcept {
  switch (origin) {
    case ViewOrigin::kMultiOutput:
      return "replace the inplace operation by an out-of-place one";
    case ViewOrigin::kFunction:
      return "clone() it first";
    default:
      return "create and modify the view both in grad mode or both outside of it";
  }
}

bool is_differentiable(tenon_dtype dtype) noexcept {
  return tensor::is_floating(dtype) || tensor::is_complex(dtype);
}

GradientEdge gradient_edge_slow(Tensor& tensor) {
  if (Tensor* base = tensor.base()) {
    if (requires_grad(*base) && is_differentiable(tensor.dtype())) {
      return gradient_edge_of_view(tensor, *base);
    }
  }
  GradientEdge edge = linked_edge(tensor);
  return requires_gradient(edge) ? edge : GradientEdge();
}

bool requires_grad(const Tensor& tensor) noexcept {
  if (!tensor.may_be_tracked()) return false;
  if (requires_gradient(linked_edge(tensor))) return true;
  const Tensor* base = tensor.base();
  return base != nullptr && is_differentiable(tensor.dtype()) &&
         requires_gradient(linked_edge(*base));
}

bool is_leaf(const Tensor& tensor) noexcept {
  if (!tensor.may_be_tracked()) return true;
  const Tensor* base = tensor.base();
  if (base != nullptr && requires_grad(*base) && is_differentiable(tensor.dtype()) &&
      known_version(tensor) != version_of(tensor)) {
    return false;  // stale: its node will be rebuilt as a child of the base's
  }
  const GradientEdge edge = linked_edge(tensor);
  return !requires_gradient(edge) || edge.node->is_leaf();
}

TangentSlot* tangent_slot(const Tensor& tensor) noexcept {
  AutogradExtra* link = extra_of(tensor);
  return link != nullptr ? &link->tangent() : nullptr;
}

TangentSlot& require_tangent_slot(Tensor& tensor) {
  tensor.add_keys(kAutograd);
  if (tensor.base() != nullptr || extra_of(tensor) != nullptr)
    return require_extra(tensor).tangent();
  auto fresh = std::make_unique<AutogradExtra>();
  fresh->set(linked_edge(tensor), 0);
  AutogradExtra* link = fresh.release();
  if (tensor::AutogradState* old = tensor.replace_autograd(link, kHasExtra)) old->drop(old);
  return link->tangent();
}

void set_node(Tensor& tensor, NodePtr node, uint32_t output) {
  if (tensor.autograd() != nullptr) follow(tensor, linked_edge(tensor), *node, output);
  if (tensor.base() != nullptr || extra_of(tensor) != nullptr) {
    require_extra(tensor).set({std::move(node), output}, version_of(tensor));
  } else {
    tensor::AutogradState* state = nullptr;
    uint8_t note = kHasExtra;
    if (output < kHasExtra) {
      note = static_cast<uint8_t>(output);
      state = node.detach();
    } else {
      auto link = std::make_unique<AutogradExtra>();
      link->set({std::move(node), output}, 0);
      state = link.release();
    }
    if (tensor::AutogradState* old = tensor.replace_autograd(state, note)) old->drop(old);
  }
  tensor.add_keys_of_written(kAutograd);
}

void track(Tensor& tensor) {
  TENON_DCHECK(is_differentiable(tensor.dtype()));
  require_leaf(tensor)->set_requires_grad(true);
  tensor.add_keys(kAutograd);
}

void set_requires_grad(Tensor& tensor, bool wanted) {
  constexpr const char* kFunction = "tenon_tensor_set_requires_grad";
  TENON_CHECK_ARG(!tensor.is_undefined(), kFunction,
                  ": tensor must be defined, got the undefined tensor");
  if (!is_leaf(tensor)) {
    TENON_CHECK(wanted, TENON_ERROR_STATE, kFunction,
                ": requires_grad can be set to False on leaf variables only, got the output of ",
                gradient_edge(tensor).node->name(),
                "; use detach() to get a tensor that does not require grad");
    return;
  }
  if (wanted) {
    TENON_CHECK_TYPE(
        is_differentiable(tensor.dtype()), kFunction,
        ": only tensors of floating point and complex dtype can require gradients, got ",
        tensor::dtype_name(tensor.dtype()));
    TENON_CHECK(!tensor.is_inference() || base::makes_inference_tensors(), TENON_ERROR_STATE,
                kFunction,
                ": requires_grad cannot be set to True on an inference tensor outside of inference "
                "mode; clone() the tensor first");
    const dispatch::LevelTensor* level = dispatch::level_tensor(tensor);
    const bool is_level = level != nullptr;
    // A vmap records no nodes, so no gradient would ever reach the tensor.
    TENON_CHECK(!is_level || (level->layer->kind().keys & kAutograd) != 0, TENON_ERROR_STATE,
                kFunction, ": tensor must not belong to a ",
                is_level ? level->layer->kind().name : "", ", got a tensor of level ",
                is_level ? level->layer->level() : 0,
                "; use grad, vjp, jacrev or jacfwd inside it, or set requires_grad outside of it");
    const bool is_wrapper = tensor.content(tensor::HollowKind::kWrapped) != nullptr;
    TENON_CHECK(!tensor.is_hollow() || is_level || is_wrapper, TENON_ERROR_STATE, kFunction,
                ": tensor must have storage, got a hollow tensor");
    track(tensor);
  } else if (const GradientEdge edge = linked_edge(tensor); edge.node != nullptr) {
    edge.node->set_requires_grad(false);
    if (extra_of(tensor) == nullptr) tensor.remove_keys(kAutograd);
  }
}

TensorPtr copy_grad(Tensor& tensor) {
  const GradientEdge edge = linked_edge(tensor);
  if (edge.node == nullptr) return nullptr;
  if (edge.node->is_leaf()) return edge.node->copy_grad();
  const NodeExtra* extra = edge.node->extra();
  return extra != nullptr ? extra->copy_retained(edge.output, tensor) : nullptr;
}

void set_grad(Tensor& tensor, Tensor* grad) {
  constexpr const char* kFunction = "tenon_tensor_set_grad";
  TENON_CHECK_ARG(!tensor.is_undefined(), kFunction,
                  ": tensor must be defined, got the undefined tensor");
  const GradientEdge edge = linked_edge(tensor);
  TENON_CHECK(is_leaf(tensor) || retains_grad(tensor), TENON_ERROR_STATE, kFunction,
              ": tensor must be a leaf or retain its gradient (retain_grad), got the output of a "
              "recorded call");
  if (grad != nullptr) {
    const tenon_dtype dtype = grad_dtype(tensor);
    TENON_CHECK_ARG(grad != &tensor, kFunction,
                    ": grad must be another tensor, got the tensor itself");
    TENON_CHECK_ARG(dtype < 0 || grad->dtype() == dtype, kFunction, ": grad must be of dtype ",
                    tensor::dtype_name(dtype), ", got ", tensor::dtype_name(grad->dtype()));
    TENON_CHECK_ARG(grad->device().type == tensor.device().type &&
                        grad->device().index == tensor.device().index,
                    kFunction, ": grad must be on the tensor's device, got another device");
    TENON_CHECK_ARG(std::ranges::equal(grad->size_span(), tensor.size_span()), kFunction,
                    ": grad must be of sizes ", tensor::print_dims(tensor.size_span()), ", got ",
                    tensor::print_dims(grad->size_span()));
  } else if (edge.node == nullptr) {
    return;
  }
  NodeExtra* extra = edge.node != nullptr ? edge.node->extra() : nullptr;
  if (extra != nullptr && extra->set_retained(edge.output, tensor, TensorPtr::share(grad))) return;
  require_leaf(tensor)->set_grad(TensorPtr::share(grad));
}

void add_to_print(Tensor& tensor, std::string* text) {
  if (!tensor.may_be_tracked() || text->empty() || text->back() != ')') return;
  std::string fact;
  try {
    const GradientEdge edge = gradient_edge(tensor);
    if (edge.node == nullptr) return;
    fact = edge.node->is_leaf() ? std::string("requires_grad=True")
                                : std::string("grad_fn=<") + edge.node->name() + '>';
  } catch (const Error& error) {
    if (error.code() != TENON_ERROR_STATE) throw;
    fact = "grad_fn=<Invalid>";  // an invalid view can still be printed
  }
  text->pop_back();
  *text += ", " + fact + ')';
}

namespace {

// Returns the leaf of a tensor, even if it does not require grad.
NodePtr own_leaf(const Tensor& tensor) noexcept {
  GradientEdge edge = linked_edge(tensor);
  return edge.node != nullptr && edge.node->is_leaf() ? std::move(edge.node) : nullptr;
}

// Checks that a leaf has room for the new number of dims of its tensor.
void check_room(const char* function, const NodePtr& leaf, tensor::Dims sizes) {
  const auto ndim = static_cast<int32_t>(sizes.size());
  TENON_CHECK(leaf == nullptr || leaf->has_room_for(ndim), TENON_ERROR_NOT_SUPPORTED, function,
              ": number of dims of a leaf must be at most ",
              std::max(leaf->output(0).ndim, tensor::kInlineDims), ", got ", ndim);
}

}  // namespace

void set_data(Tensor& tensor, const Tensor& data) {
  constexpr const char* kFunction = "tenon_tensor_set_data";
  for (const Tensor* each : {const_cast<const Tensor*>(&tensor), &data}) {
    TENON_CHECK_ARG(each->has_storage(), kFunction, ": tensor and data must have storage, got ",
                    each->is_undefined() ? "the undefined tensor" : "a hollow tensor");
  }
  TENON_CHECK(tensor.base() == nullptr, TENON_ERROR_STATE, kFunction,
              ": tensor must not be a view, got a view of a tensor of sizes ",
              tensor::print_dims(tensor.base()->size_span()));
  const NodePtr leaf = own_leaf(tensor);
  TENON_CHECK_TYPE(!requires_grad(tensor) || is_differentiable(data.dtype()), kFunction,
                   ": data of a tensor that requires grad must be floating point or complex, got ",
                   tensor::dtype_name(data.dtype()));
  check_room(kFunction, leaf, data.size_span());
  tensor.set_data(data);
  if (leaf != nullptr) leaf->follow(tensor);
}

void restride(Tensor& tensor, tensor::Dims sizes, tensor::Dims strides, int64_t offset) {
  const NodePtr leaf = own_leaf(tensor);
  check_room("tenon_tensor_restride", leaf, sizes);
  tensor.restride(sizes, strides, offset);
  if (leaf != nullptr) leaf->follow(tensor);
}

void detach(Tensor& tensor) {
  constexpr const char* kFunction = "tenon_tensor_detach";
  TENON_CHECK_ARG(!tensor.is_undefined(), kFunction,
                  ": tensor must be defined, got the undefined tensor");
  TENON_CHECK(tensor.base() == nullptr, TENON_ERROR_STATE, kFunction,
              ": tensor must not be a view, got a view that ", origin_text(tensor),
              "; use detach() instead");
  const GradientEdge edge = linked_edge(tensor);
  if (edge.node == nullptr) return;
  if (edge.node->is_leaf()) {
    edge.node->set_requires_grad(false);
  } else if (tensor::AutogradState* old = tensor.replace_autograd(nullptr, 0)) {
    old->drop(old);
  }
  tensor.remove_keys(kAutograd);
}

HookPtr add_hook(Tensor& tensor, uint32_t kind, Hook::TargetPtr target) {
  constexpr const char* kFunction = "tenon_tensor_add_hook";
  TENON_CHECK(
      requires_grad(tensor), TENON_ERROR_STATE, kFunction,
      ": tensor must require grad to have a hook, got a tensor that doesn't require gradient");
  const GradientEdge edge = gradient_edge(tensor);
  TENON_CHECK(
      kind == TENON_HOOK_GRAD || edge.node->is_leaf(), TENON_ERROR_STATE, kFunction,
      ": tensor must be a leaf to have a hook on its accumulated gradient, got the output of ",
      edge.node->name());
  HookPtr hook = base::IntrusivePtr<Hook>::adopt(new Hook(kind, edge.output, std::move(target)));
  edge.node->require_extra().add_hook(hook);
  return hook;
}

void retain_grad(Tensor& tensor) {
  TENON_CHECK(requires_grad(tensor), TENON_ERROR_STATE,
              "tenon_tensor_retain_grad: tensor must require grad to retain its gradient, got a "
              "tensor that does not");
  const GradientEdge edge = gradient_edge(tensor);
  if (!edge.node->is_leaf()) edge.node->require_extra().retain_grad(edge.output, tensor);
}

bool retains_grad(const Tensor& tensor) noexcept {
  const GradientEdge edge = linked_edge(tensor);
  if (edge.node == nullptr || edge.node->is_leaf()) return false;
  const NodeExtra* extra = edge.node->extra();
  return extra != nullptr && extra->retains_grad(edge.output, tensor);
}

tenon_dtype grad_dtype(const Tensor& tensor) noexcept {
  const GradientEdge edge = linked_edge(tensor);
  if (edge.node == nullptr || !edge.node->is_leaf()) return tensor.dtype();
  const int32_t dtype = edge.node->output(0).dtype;
  return dtype >= 0 ? dtype : TENON_DTYPE_NONE;
}

void set_grad_dtype(Tensor& tensor, tenon_dtype dtype) {
  constexpr const char* kFunction = "tenon_tensor_set_grad_dtype";
  TENON_CHECK_ARG(!tensor.is_undefined(), kFunction,
                  ": tensor must be defined, got the undefined tensor");
  TENON_CHECK_TYPE(dtype == TENON_DTYPE_NONE || is_differentiable(dtype), kFunction,
                   ": dtype must be floating point or complex, got ", dtype);
  const TensorPtr grad = copy_grad(tensor);
  TENON_CHECK(grad == nullptr || dtype < 0 || grad->dtype() == dtype, TENON_ERROR_STATE, kFunction,
              ": tensor must not have a gradient of a dtype other than ", tensor::dtype_name(dtype),
              ", got one of ", tensor::dtype_name(grad->dtype()));
  const GradientEdge edge =
      is_leaf(tensor) ? GradientEdge{require_leaf(tensor), 0} : gradient_edge(tensor);
  edge.node->set_grad_dtype(edge.output, dtype);
}

}  // namespace tenon::autograd
