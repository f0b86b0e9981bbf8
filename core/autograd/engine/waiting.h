// SPDX-License-Identifier: Apache-2.0
// Waiting: the nodes that a pass has still to run, with the gradients that have come to them.
//
// Gradients wait in their nodes: a pass claims those it comes to. Where another pass has claimed a
// node, on another thread or because this one runs inside of it, they wait in memory of the pass's
// own: no pass waits for another.
#pragma once

#include <span>
#include <unordered_map>

#include "autograd/node/node.h"
#include "base/small_vector.h"

namespace tenon::autograd {

/// The nodes live as long as this: edges lead to them from what the pass began with.
class Waiting {
 public:
  Waiting() = default;
  /// What still waits, after a failure, goes.
  ~Waiting();
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

  bool is_empty() const noexcept { return next_.node == nullptr && heap_.empty(); }
  /// Adds to the gradient (NULL: nothing) that waits for an output; the node waits from now on.
  /// `recorded`: what is there stays as it is, for others may hold it. Throws what operators raise,
  /// and std::bad_alloc.
  void add(Node& node, uint32_t output, tensor::TensorPtr grad, bool recorded);
  /// What waits for an output so far, which stays as it is: what comes later makes a new sum. Empty
  /// where nothing waits.
  tensor::TensorPtr share(Node& node, uint32_t output) noexcept;

 private:
  friend class Turn;
  struct Entry {
    uint64_t sequence = 0;
    Node* node = nullptr;
    tensor::Tensor** grads = nullptr;  // NULL: the one is in the node
    static bool runs_later(const Entry& a, const Entry& b) noexcept {
      return a.sequence < b.sequence;
    }
  };

  // Where the gradients of a node wait; NULL where it waits for none yet.
  tensor::Tensor** find(Node& node) const noexcept;
  // For a node that nothing waits for yet: where its gradients are to be.
  tensor::Tensor** enter(Node& node);
  tensor::Tensor** enter_apart(Node& node);
  tensor::Tensor** find_elsewhere(const Node& node) const noexcept;
  void push(const Entry& entry);
  void push_on_heap(const Entry& entry);
  Entry pop() noexcept;
  void drop(const Entry& entry) noexcept;

  Entry next_;  // runs before all on the heap; without node: none such is known
  base::SmallVector<Entry, 8> heap_;
  std::unordered_map<const Node*, tensor::Tensor**> elsewhere_;  // of what others have claimed
};

/// The turn of the node that runs next, the newest: it waits no longer. What is left of its
/// gradients goes with the turn.
class Turn {
 public:
  explicit Turn(Waiting* waiting) noexcept;
  ~Turn();
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  Node& node() const noexcept { return *node_; }
  /// Of the node's outputs, owned; NULL where none came.
  std::span<tensor::Tensor*> grads() noexcept { return {grads_, node_->output_count()}; }

 private:
  Node* node_;
  tensor::Tensor* one_ = nullptr;
  tensor::Tensor** grads_ = &one_;
};

}  // namespace tenon::autograd
