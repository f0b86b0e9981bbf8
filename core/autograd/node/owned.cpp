// SPDX-License-Identifier: Apache-2.0
#include "autograd/node/owned.h"

#include <vector>

#include "autograd/node/node_extra.h"
#include "autograd/tensor_state.h"
#include "value/object.h"

namespace tenon::autograd {

namespace {

using tensor::Tensor;
using tensor::TensorPtr;

// Maximum number of nodes per walk: collectors call often, and a long chain would cost too much.
constexpr size_t kMostNodes = 4096;

// Walks, without recursion, everything that is held by a single reference.
class OwnedWalk {
 public:
  /// If `visit` is NULL, collects the hooks for remove_hooks() instead.
  OwnedWalk(uint32_t language, tenon_owned_fn visit, void* ctx) noexcept
      : language_(language), visit_(visit), ctx_(ctx) {}

  void enter(const Tensor& tensor) {
    // Two references: the tensor's state, and `flow`.
    const GradientEdge flow = linked_edge(tensor);
    if (flow.node != nullptr && flow.node->use_count() == 2) nodes_.push_back(flow.node.get());
    const Tensor* base = tensor.base();
    if (base != nullptr && base->use_count() == 1) enter_owned(*base);
  }
  void enter(const Node& node) { nodes_.push_back(&node); }

  int32_t run() {
    for (size_t done = 0; result_ == 0 && !nodes_.empty() && done < kMostNodes; ++done) {
      auto* node = const_cast<Node*>(nodes_.back());
      nodes_.pop_back();
      look_at(*node);
    }
    return result_;
  }

  /// Removes the collected hooks. Call last, because their deleters may change the graph.
  void remove_hooks() noexcept {
    for (const HookPtr& hook : hooks_) hook->remove();
  }

 private:
  void tell(uint32_t kind, void* object) {
    if (visit_ == nullptr || result_ != 0 || object == nullptr) return;
    result_ = visit_(ctx_, kind, object);
  }

  // Enters a tensor whose only reference is held by a tensor or node of the walk. The tensor keeps
  // the object in its cell alive.
  void enter_owned(const Tensor& tensor) {
    if (void* object = tensor.owned_object(language_)) tell(TENON_OWNED_CELL, object);
    enter(tensor);
  }
  void enter_if_owned(const Tensor* tensor) {
    if (tensor != nullptr && tensor->use_count() == 1) enter_owned(*tensor);
  }

  void look_at(Node& node) {
    if (NodeExtra* extra = node.extra()) look_at(*extra);
    for (const Edge& edge : node.edges()) {
      if (edge.node != nullptr && edge.node->use_count() == 1) nodes_.push_back(edge.node);
    }
    // copy_grad() adds one reference to a leaf's gradient.
    const TensorPtr grad = node.is_leaf() ? node.copy_grad() : nullptr;
    if (grad != nullptr && grad->use_count() == 2) enter_owned(*grad);
    if (!node.begin_read()) return;
    for (const SavedTensor& saved : node.saved_tensors()) {
      if (saved.is_packed()) {
        look_at(saved.packed());
      } else {
        enter_if_owned(saved.tensor);
      }
    }
    for (const tenon_value& value : node.saved_values()) look_at(value);
    if (const NodeExtra* extra = node.extra()) {
      for (const PackedList& list : extra->packed_lists) look_at(list);
    }
    node.end_read(false);
  }

  void look_at(NodeExtra& extra) {
    tell(TENON_OWNED_CELL, extra.owned_object(language_));
    if (extra.inner != nullptr && extra.inner->use_count() == 1) {
      nodes_.push_back(extra.inner.get());
    }
    const HookListPtr hooks = extra.hooks();
    if (hooks == nullptr) return;
    for (const HookPtr& hook : hooks->hooks) {
      const Hook::TargetPtr target = hook->target();
      if (target == nullptr || target->language != language_) continue;
      tell(TENON_OWNED_HOOK, target->ctx);
      if (visit_ == nullptr) hooks_.push_back(hook);
    }
  }

  void look_at(const PackedTensor& packed) {
    look_at(packed.value);
    const SavedHooks& hooks = *packed.hooks;
    if (hooks.language == language_ && hooks.unique()) tell(TENON_OWNED_SAVED_HOOKS, hooks.ctx);
  }

  void look_at(const PackedList& list) {
    for (const PackedElement& element : list.elements) {
      if (element.saved.tensor != nullptr) look_at(element.saved.packed());
      if (element.node != nullptr && element.node->use_count() == 1) {
        nodes_.push_back(element.node.get());
      }
    }
  }

  void look_at(const tenon_value& value) {
    const bool is_object = value.tag == TENON_TAG_OBJECT || value.tag == TENON_TAG_FUNCTION;
    if (!is_object || value.as.object == nullptr || !value.as.object->unique()) return;
    if (value.as.object->type()->language != language_) return;
    tell(TENON_OWNED_OBJECT, value.as.object->self());
  }

  const uint32_t language_;
  const tenon_owned_fn visit_;
  void* const ctx_;
  int32_t result_ = 0;
  std::vector<const Node*> nodes_;
  std::vector<HookPtr> hooks_;
};

template <class Thing>
void take_down_hooks(const Thing& thing, uint32_t language) {
  OwnedWalk walk(language, nullptr, nullptr);
  walk.enter(thing);
  walk.run();
  walk.remove_hooks();
}

}  // namespace

int32_t visit_owned(const Tensor& tensor, uint32_t language, tenon_owned_fn visit, void* ctx) {
  OwnedWalk walk(language, visit, ctx);
  walk.enter(tensor);
  return walk.run();
}

int32_t visit_owned(const Node& node, uint32_t language, tenon_owned_fn visit, void* ctx) {
  OwnedWalk walk(language, visit, ctx);
  walk.enter(node);
  return walk.run();
}

void clear_owned(const Tensor& tensor, uint32_t language) { take_down_hooks(tensor, language); }
void clear_owned(const Node& node, uint32_t language) { take_down_hooks(node, language); }

}  // namespace tenon::autograd
