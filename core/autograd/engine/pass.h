// SPDX-License-Identifier: Apache-2.0
// Pass: what functions that run in a backward pass may ask it.
#pragma once

#include <span>
#include <vector>

#include "autograd/node/node.h"
#include "autograd/node/node_set.h"
#include "tenon/hooks.h"

namespace tenon::autograd {

/// A function to call when a pass has run all its nodes, with its ctx, which it owns.
struct Done {
  Done(tenon_done_fn the_fn, void* the_ctx, tenon_deleter the_deleter) noexcept
      : fn(the_fn), ctx(the_ctx), deleter(the_deleter) {}
  Done(Done&& other) noexcept
      : fn(other.fn), ctx(other.ctx), deleter(std::exchange(other.deleter, nullptr)) {}
  Done& operator=(Done&&) = delete;
  ~Done() {
    if (deleter != nullptr) deleter(ctx);
  }
  tenon_done_fn fn;
  void* ctx;
  tenon_deleter deleter;
};

/// A backward pass while it runs, on the thread that runs it.
class Pass {
 public:
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;

  /// The calling thread's innermost; NULL where none runs.
  static Pass* current() noexcept;

  /// The node that it runs; NULL before the first and after the last.
  Node* running() const noexcept { return running_; }
  /// No other pass of the process has it. Never 0.
  int64_t number() noexcept;
  /// Whether it comes to a node, or has been there. Throws std::bad_alloc.
  virtual bool reaches(const Node& node) = 0;
  /// The gradient that waits so far for an output of a node; empty for none.
  virtual tensor::TensorPtr waiting_for(Node& node, uint32_t output) noexcept = 0;
  /// Throws std::bad_alloc.
  void when_done(Done done) { done_.push_back(std::move(done)); }

 protected:
  Pass();
  virtual ~Pass();
  void set_running(Node* node) noexcept { running_ = node; }
  /// Throws what a function raised; the others are dropped then.
  void run_done();

 private:
  Pass* const outer_;
  int64_t number_ = 0;
  Node* running_ = nullptr;
  std::vector<Done> done_;
};

/// The nodes that edges lead to from some, those included, without what `enters` refuses. No
/// recursion. Throws std::bad_alloc.
template <class Enters>
NodeSet reachable(std::span<const Node* const> from, Enters enters) {
  NodeSet seen;
  std::vector<const Node*> waiting;
  const auto enter = [&](const Node* node) {
    if (node != nullptr && enters(*node) && seen.insert(node)) waiting.push_back(node);
  };
  for (const Node* node : from) enter(node);
  while (!waiting.empty()) {
    const Node* node = waiting.back();
    waiting.pop_back();
    for (const Edge& edge : node->edges()) enter(edge.node);
  }
  return seen;
}

}  // namespace tenon::autograd
