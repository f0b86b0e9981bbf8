// SPDX-License-Identifier: Apache-2.0
// ReadyQueue: the queue of a backward pass. It holds the nodes that are still to run, and the
// gradients that have arrived for them.
//
// Note: claims. A pass stores gradients in the node itself after it claims the node. If another
// pass has claimed the node, on another thread or further up the stack of this one, the gradients
// are stored in the pass's own map. No pass therefore waits for another.
#pragma once

#include <span>
#include <unordered_map>

#include "autograd/node/node.h"
#include "base/small_vector.h"

namespace tenon::autograd {

/// The nodes outlive the queue: edges from the roots of the pass keep them alive.
class ReadyQueue {
 public:
  ReadyQueue() = default;
  /// Releases the gradients that a failed pass leaves queued.
  ~ReadyQueue();
  ReadyQueue(const ReadyQueue&) = delete;
  ReadyQueue& operator=(const ReadyQueue&) = delete;

  bool is_empty() const noexcept { return next_.node == nullptr && heap_.empty(); }
  /// Queues the node, and adds `grad` (NULL: none) to the gradient of one of its outputs. With
  /// `recorded` the sum is a new tensor, because the graph may have saved the old one. Throws the
  /// errors of operators, and std::bad_alloc.
  void add(Node& node, uint32_t output, tensor::TensorPtr grad, bool recorded);
  /// Returns the gradient that has arrived for an output so far, or NULL. Later gradients do not
  /// change the returned tensor: they are added into a new sum.
  tensor::TensorPtr share(Node& node, uint32_t output) noexcept;

 private:
  friend class DequeuedNode;
  struct QueuedNode {
    uint64_t sequence = 0;
    Node* node = nullptr;
    tensor::Tensor** grads = nullptr;  // NULL: the node itself holds the one gradient
    static bool runs_later(const QueuedNode& a, const QueuedNode& b) noexcept {
      return a.sequence < b.sequence;
    }
  };

  // Returns the gradients of a queued node, or NULL if the node is not queued.
  tensor::Tensor** find(Node& node) const noexcept;
  // Queues a node, and returns its new gradient slots.
  tensor::Tensor** enter(Node& node);
  tensor::Tensor** enter_apart(Node& node);
  tensor::Tensor** find_elsewhere(const Node& node) const noexcept;
  void push(const QueuedNode& entry);
  void push_on_heap(const QueuedNode& entry);
  QueuedNode pop() noexcept;
  void drop(const QueuedNode& entry) noexcept;

  QueuedNode next_;  // newer than every entry of the heap; its node is NULL if unset
  base::SmallVector<QueuedNode, 8> heap_;
  // gradients of nodes that other passes have claimed
  std::unordered_map<const Node*, tensor::Tensor**> elsewhere_;
};

/// RAII: takes the newest node and its gradients off the queue, to run it. Releases the gradients
/// that remain at the end.
class DequeuedNode {
 public:
  explicit DequeuedNode(ReadyQueue* queue) noexcept;
  ~DequeuedNode();
  DequeuedNode(const DequeuedNode&) = delete;
  DequeuedNode& operator=(const DequeuedNode&) = delete;

  Node& node() const noexcept { return *node_; }
  /// Returns the owned gradients of the node's outputs, NULL for each output that got none.
  std::span<tensor::Tensor*> grads() noexcept { return {grads_, node_->output_count()}; }

 private:
  Node* node_;
  tensor::Tensor* one_ = nullptr;
  tensor::Tensor** grads_ = &one_;
};

}  // namespace tenon::autograd
