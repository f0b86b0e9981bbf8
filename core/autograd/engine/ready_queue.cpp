// SPDX-License-Identifier: Apache-2.0
#include "autograd/engine/ready_queue.h"

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "autograd/operators.h"
#include "base/check.h"

namespace tenon::autograd {

using tensor::Tensor;
using tensor::TensorPtr;

namespace {

// The low bit of a queued gradient's pointer is set if the pass made it as a sum and holds the only
// reference, so it can be added to in place. Tensors are aligned to 64 bytes, so the bit is free.
constexpr uintptr_t kSum = 1;

bool is_sum(const Tensor* grad) noexcept { return (reinterpret_cast<uintptr_t>(grad) & kSum) != 0; }
Tensor* unmarked(Tensor* grad) noexcept {
  return reinterpret_cast<Tensor*>(reinterpret_cast<uintptr_t>(grad) & ~kSum);
}
Tensor* marked(Tensor* sum) noexcept {
  return reinterpret_cast<Tensor*>(reinterpret_cast<uintptr_t>(sum) | kSum);
}

void add_to(Tensor** slot, TensorPtr grad, bool recorded) {
  if (*slot == nullptr) {
    // First gradient: keep the reference, without a copy.
    *slot = grad.detach();
  } else if (is_sum(*slot) && !recorded && unmarked(*slot)->has_storage() && grad->has_storage()) {
    // A sum that this pass owns: add in place.
    operators::add_in_place(*unmarked(*slot), *grad);
  } else {
    // Second gradient, or a sum that others may hold: make a new sum.
    Tensor* const old = unmarked(*slot);
    *slot = marked(operators::add(*old, *grad).detach());
    old->release();
  }
}

struct Free {
  void operator()(Tensor** grads) const noexcept { std::free(grads); }
};

Tensor** new_grads(uint32_t count) {
  auto** grads = static_cast<Tensor**>(std::calloc(count, sizeof(Tensor*)));
  if (grads == nullptr) throw std::bad_alloc();
  return grads;
}

void release(std::span<Tensor* const> grads) noexcept {
  for (Tensor* grad : grads) {
    if (grad != nullptr) unmarked(grad)->release();
  }
}

}  // namespace

ReadyQueue::~ReadyQueue() {
  if (next_.node != nullptr) drop(next_);
  for (const QueuedNode& entry : heap_) drop(entry);
}

void ReadyQueue::drop(const QueuedNode& entry) noexcept {
  Node& node = *entry.node;
  if (entry.grads == nullptr) {
    release({&node.claimed().grad, 1});
  } else {
    release({entry.grads, node.output_count()});
    std::free(entry.grads);
  }
  if (node.is_claimed_by(this)) node.unclaim();
}

[[gnu::always_inline]] inline Tensor** ReadyQueue::find(Node& node) const noexcept {
  if (!node.is_claimed_by(this)) return find_elsewhere(node);
  NodeWord::Claim& claim = node.claimed();
  return node.output_count() == 1 ? &claim.grad : claim.grads;
}

void ReadyQueue::add(Node& node, uint32_t output, TensorPtr grad, bool recorded) {
  TENON_DCHECK(output < node.output_count());
  Tensor** grads = find(node);
  if (grads == nullptr) grads = enter(node);
  if (grad != nullptr) add_to(&grads[output], std::move(grad), recorded);
}

TensorPtr ReadyQueue::share(Node& node, uint32_t output) noexcept {
  Tensor** grads = find(node);
  if (grads == nullptr || grads[output] == nullptr) return {};
  grads[output] = unmarked(grads[output]);
  return TensorPtr::share(grads[output]);
}

Tensor** ReadyQueue::find_elsewhere(const Node& node) const noexcept {
  // No node of this pass is claimed by another.
  if (elsewhere_.empty()) [[likely]] {
    return nullptr;
  }
  const auto found = elsewhere_.find(&node);
  return found != elsewhere_.end() ? found->second : nullptr;
}

Tensor** ReadyQueue::enter(Node& node) {
  if (node.output_count() != 1 || !node.try_claim(this)) [[unlikely]] {
    // Several outputs, or claimed by another pass: the gradients need an array.
    return enter_apart(node);
  }
  // One output, and unclaimed: the gradient is stored in the node.
  node.claimed().grad = nullptr;
  try {
    push({node.sequence(), &node, nullptr});
  } catch (...) {
    node.unclaim();
    throw;
  }
  return &node.claimed().grad;
}

Tensor** ReadyQueue::enter_apart(Node& node) {
  std::unique_ptr<Tensor*, Free> grads(new_grads(node.output_count()));
  const bool is_claimed = node.output_count() != 1 && node.try_claim(this);
  try {
    if (is_claimed) {
      node.claimed().grads = grads.get();
    } else {
      elsewhere_.emplace(&node, grads.get());
    }
    push({node.sequence(), &node, grads.get()});
  } catch (...) {
    if (is_claimed) node.unclaim();
    elsewhere_.erase(&node);
    throw;
  }
  return grads.release();
}

// Keeps the newest node out of the heap: in a chain of nodes, the one just found runs next.
void ReadyQueue::push(const QueuedNode& entry) {
  if (next_.node != nullptr) {
    if (entry.sequence <= next_.sequence) return push_on_heap(entry);
    push_on_heap(next_);
  } else if (!heap_.empty() && entry.sequence < heap_.begin()->sequence) {
    return push_on_heap(entry);
  }
  next_ = entry;
}

void ReadyQueue::push_on_heap(const QueuedNode& entry) {
  heap_.push_back(entry);
  std::push_heap(heap_.begin(), heap_.end(), &QueuedNode::runs_later);
}

ReadyQueue::QueuedNode ReadyQueue::pop() noexcept {
  if (next_.node != nullptr) return std::exchange(next_, {});
  std::pop_heap(heap_.begin(), heap_.end(), &QueuedNode::runs_later);
  const QueuedNode entry = heap_.back();
  heap_.pop_back();
  return entry;
}

DequeuedNode::DequeuedNode(ReadyQueue* queue) noexcept {
  const ReadyQueue::QueuedNode entry = queue->pop();
  node_ = entry.node;
  // One output: the gradient is in the node.
  if (entry.grads == nullptr) [[likely]] {
    one_ = unmarked(node_->claimed().grad);
    node_->unclaim();
    return;
  }
  grads_ = entry.grads;
  for (Tensor*& grad : grads()) grad = unmarked(grad);
  if (node_->is_claimed_by(queue)) {
    node_->unclaim();
  } else {
    queue->elsewhere_.erase(node_);
  }
}

DequeuedNode::~DequeuedNode() {
  release(grads());
  if (grads_ != &one_) std::free(grads_);
}

}  // namespace tenon::autograd
