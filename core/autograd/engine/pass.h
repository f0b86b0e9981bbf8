// SPDX-License-Identifier: Apache-2.0
// Pass: queries that hooks and formulas can make about the running backward pass.
#pragma once

#include <span>
#include <vector>

#include "autograd/node/node.h"
#include "autograd/node/node_set.h"
#include "tenon/hooks.h"

namespace tenon::autograd {

/// A function to call after a pass has run all its nodes. Owns its ctx.
struct FinalCallback {
  FinalCallback(tenon_done_fn the_fn, void* the_ctx, tenon_deleter the_deleter) noexcept
      : fn(the_fn), ctx(the_ctx), deleter(the_deleter) {}
  FinalCallback(FinalCallback&& other) noexcept
      : fn(other.fn), ctx(other.ctx), deleter(std::exchange(other.deleter, nullptr)) {}
  FinalCallback& operator=(FinalCallback&&) = delete;
  ~FinalCallback() {
    if (deleter != nullptr) deleter(ctx);
  }
  tenon_done_fn fn;
  void* ctx;
  tenon_deleter deleter;
};

/// A running backward pass, on the thread that runs it.
class Pass {
 public:
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;

  /// Returns the calling thread's innermost pass; NULL if none runs.
  static Pass* current() noexcept;

  /// Returns the node that is running; NULL before the first and after the last.
  Node* running() const noexcept { return running_; }
  /// Returns a process-wide unique id, never 0.
  int64_t number() noexcept;
  /// Returns true if this pass will visit, or has visited, `node`. Throws std::bad_alloc.
  virtual bool reaches(const Node& node) = 0;
  /// Returns the gradient that has arrived so far for an output of a node; NULL if there is none.
  virtual tensor::TensorPtr waiting_for(Node& node, uint32_t output) noexcept = 0;
  /// Throws std::bad_alloc.
  void add_final_callback(FinalCallback done) { final_callbacks_.push_back(std::move(done)); }

 protected:
  Pass();
  virtual ~Pass();
  void set_running(Node* node) noexcept { running_ = node; }
  /// Calls the functions that add_final_callback() added. Throws the error of the first that fails,
  /// and drops the remaining ones.
  void run_final_callbacks();

 private:
  Pass* const outer_;
  int64_t number_ = 0;
  Node* running_ = nullptr;
  std::vector<FinalCallback> final_callbacks_;
};

/// Returns the nodes that can be reached from some nodes, including these, without passing through
/// nodes that `enters` rejects. Not recursive. Throws std::bad_alloc.
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
