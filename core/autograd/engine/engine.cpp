// SPDX-License-Identifier: Apache-2.0
#include "autograd/engine/engine.h"

#include <algorithm>

#include "autograd/engine/accumulate.h"
#include "autograd/engine/anomaly.h"
#include "autograd/engine/pass.h"
#include "autograd/engine/ready_queue.h"
#include "autograd/node/node_extra.h"
#include "autograd/node/node_run.h"
#include "autograd/node/node_set.h"
#include "autograd/operators.h"
#include "autograd/record/grad_mode_guard.h"
#include "autograd/record/recording_modes.h"
#include "autograd/tensor_state.h"
#include "base/check.h"
#include "base/small_vector.h"
#include "tensor/layout.h"

namespace tenon::autograd {

namespace {

using tensor::Tensor;
using tensor::TensorPtr;

// Where a pass puts gradients that reach a target: into the leaf's grad, or into its result.
enum class GradientSink { kAccumulate, kCapture };

// One backward pass.
class Task final : public Pass {
 public:
  Task(const PassOptions& options, std::span<const Root> roots, std::span<const Target> targets,
       GradientSink sink)
      : options_(options),
        roots_(roots),
        targets_(targets),
        sink_(sink),
        captured_(targets.size()) {}

  void run() {
    if (!targets_.empty()) mark();
    const GradModeGuard guard(options_.create_graph);
    const RecordingHooksGuard hooks;
    for (const Root& root : roots_) {
      if (!is_needed(root.node.get())) continue;
      queue_.add(*root.node, root.output, root.grad, create_graph());
    }
    while (!queue_.is_empty()) {
      DequeuedNode next(&queue_);
      run_with_error_note(next.node(), next.grads());
    }
    run_final_callbacks();
  }

  bool reaches(const Node& node) override {
    if (!targets_.empty()) return marks_.contains(&node);
    if (marks_.empty()) {
      std::vector<const Node*> from;
      for (const Root& root : roots_) from.push_back(root.node.get());
      marks_ = reachable(from, [](const Node&) { return true; });
    }
    return marks_.contains(&node);
  }

  TensorPtr waiting_for(Node& node, uint32_t output) noexcept override {
    return queue_.share(node, output);
  }

  std::vector<TensorPtr> take_captured() { return std::move(captured_); }

 private:
  // Marks the nodes that lead to a target. Edges lead to smaller sequence numbers, so nodes older
  // than every target are skipped.
  void mark() {
    uint64_t oldest = UINT64_MAX;
    for (const Target& target : targets_) {
      oldest = std::min(oldest, target.node->sequence());
      marks_.insert(target.node.get());
    }
    struct Step {
      Node* node;
      size_t next;
    };
    NodeSet seen;
    base::SmallVector<Step, 16> path;
    const auto enter = [&](Node* node) {
      if (node->sequence() >= oldest && seen.insert(node)) path.push_back({node, 0});
    };
    for (const Root& root : roots_) {
      enter(root.node.get());
      while (!path.empty()) {
        Step& step = path.back();
        const auto edges = step.node->edges();
        if (step.next < edges.size()) {
          Node* next = edges[step.next++].node;
          if (next != nullptr) enter(next);
          continue;
        }
        Node* node = step.node;
        path.pop_back();
        const auto leads = [&](const Edge& edge) { return leads_on(edge); };
        if (std::ranges::any_of(node->edges(), leads)) marks_.insert(node);
      }
    }
  }

  bool is_needed(const Node* node) const { return targets_.empty() || marks_.contains(node); }

  void run_with_error_note(Node& node, std::span<Tensor*> grads) {
    set_running(&node);
    try {
      run(node, grads);
    } catch (const Error& error) {
      note_origin(node, *error.object());
      if (sink_ == GradientSink::kAccumulate) run_complete_leaves(node, *error.object());
      throw;
    }
  }

  // Runs the leaves that a failure left complete. Leaves have the lowest sequence numbers and run
  // last, so complete gradients may still be queued. A leaf is complete, and keeps its gradient, if
  // neither the failed node nor any queued node can reach it.
  [[gnu::cold]] void run_complete_leaves(const Node& failed, base::ErrorObject& error) {
    std::vector<const Node*> left{&failed};
    NodeSet incomplete;
    while (!queue_.is_empty()) {
      DequeuedNode next(&queue_);
      if (!next.node().is_leaf()) {
        left.push_back(&next.node());
        continue;
      }
      if (incomplete.empty()) {
        incomplete = reachable(left, [&](const Node& node) { return is_needed(&node); });
      }
      if (incomplete.contains(&next.node())) continue;
      try {
        const HookListPtr hooks = finish(next.node(), next.grads());
        run_leaf(next.node(), next.grads()[0], hooks.get());
      } catch (const Error& another) {
        error.add_note(
            base::concat("accumulating a gradient into a leaf then failed too: ", another.what()));
      }
    }
  }

  void run(Node& node, std::span<Tensor*> grads) {
    const HookListPtr hooks = finish(node, grads);
    if (sink_ == GradientSink::kCapture) {
      for (size_t i = 0; i < targets_.size(); ++i) {
        if (targets_[i].node.get() != &node) continue;
        captured_[i] = TensorPtr::share(grads[targets_[i].output]);
      }
    }
    if (!node.is_leaf()) {
      run_formula(node, grads, hooks.get());
    } else if (sink_ == GradientSink::kAccumulate) {
      run_leaf(node, grads[0], hooks.get());
    }
  }

  // Runs the tensor hooks of the node's outputs, whose gradients are complete now; returns the
  // node's hooks.
  [[gnu::always_inline]] static HookListPtr finish(Node& node, std::span<Tensor*> grads) {
    NodeExtra* extra = node.extra();
    // Most nodes have neither hooks nor retained gradients.
    if (extra == nullptr) [[likely]] {
      return nullptr;
    }
    HookListPtr hooks = extra->hooks();
    finish_grads(node, *extra, hooks.get(), grads);
    return hooks;
  }

  // Runs the tensor hooks on the complete gradients of a node's outputs, then adds each hooked
  // gradient to the outputs that retain it.
  static void finish_grads(Node& node, NodeExtra& extra, const HookList* hooks,
                           std::span<Tensor*> grads) {
    for (uint32_t i = 0; i < grads.size(); ++i) {
      if (hooks != nullptr) run_grad_hooks(*hooks, node, i, &grads[i]);
      if (extra.has_retained() && grads[i] != nullptr) extra.add_retained(i, *grads[i]);
    }
  }

  void run_leaf(Node& leaf, Tensor*& grad, const HookList* hooks) {
    // No hooks.
    if (hooks == nullptr) [[likely]] {
      if (grad != nullptr) accumulate(leaf, take(grad), create_graph());
      return;
    }
    run_hooks_before(*hooks, leaf, {&grad, 1});
    const TensorPtr given = TensorPtr::share(grad);
    if (grad != nullptr) {
      accumulate(leaf, take(grad), create_graph());
      run_accumulated_hooks(*hooks, leaf);
    }
    Tensor* const outputs[] = {given.get()};
    run_hooks_after(*hooks, leaf, {}, outputs);
  }

  bool create_graph() const noexcept { return options_.create_graph; }
  static TensorPtr take(Tensor*& grad) noexcept {
    return TensorPtr::adopt(std::exchange(grad, nullptr));
  }

  // Returns true if the pass follows an edge.
  bool leads_on(const Edge& edge) const { return edge.node != nullptr && is_needed(edge.node); }

  void run_formula(Node& node, std::span<Tensor*> grads, const HookList* hooks) {
    const auto edges = node.edges();
    base::SmallVector<uint8_t, 8> needs;
    bool any = false;
    for (const Edge& edge : edges) {
      const bool follow = leads_on(edge);
      any = any || follow;
      needs.push_back(follow ? 1 : 0);
    }
    if (!any) return;
    if (hooks != nullptr) run_hooks_before(*hooks, node, grads);
    materialize(node, grads);
    InputGrads given(edges.size());
    run_node(node, grads, needs, options_.keep_graph, &given);
    for (size_t i = 0; i < edges.size(); ++i) {
      const Tensor* grad = given.data()[i];
      // Nothing to convert: unneeded, absent, or right already.
      if (needs[i] == 0 || grad == nullptr || fits(*grad, edges[i])) [[likely]] {
        continue;
      }
      given.data()[i] = fit(given.take(i), node, edges[i]).detach();
    }
    if ((anomaly_ & TENON_ANOMALY_CHECK_NAN) != 0) {
      check_nan(node, {given.data(), edges.size()});
    }
    if (hooks != nullptr) {
      run_hooks_after(*hooks, node, {given.data(), edges.size()}, grads);
    }
    for (size_t i = 0; i < edges.size(); ++i) {
      if (needs[i] == 0) continue;
      queue_.add(*edges[i].node, edges[i].output, given.take(i), create_graph());
    }
  }

  // Fills in zeros for results without a gradient, unless the formula accepts NULL.
  static void materialize(const Node& node, std::span<Tensor*> grads) {
    // One output, and its gradient arrived.
    if (grads.size() == 1 && grads[0] != nullptr) [[likely]] {
      return;
    }
    const MissingGradients absent = node.formula()->absent();
    if (absent == MissingGradients::kNothing) return;
    const auto is_absent = [](const Tensor* grad) { return grad == nullptr; };
    if (absent == MissingGradients::kSkipped && std::ranges::all_of(grads, is_absent)) return;
    for (uint32_t i = 0; i < grads.size(); ++i) {
      const OutputInfo& info = node.output(i);
      if (grads[i] == nullptr && info.flows()) grads[i] = operators::zeros_for(info).detach();
    }
  }

  static bool fits(const Tensor& grad, const Edge& edge) noexcept {
    const OutputInfo& info = edge.node->output(edge.output);
    return grad.dtype() == info.dtype && has_sizes(grad, info);
  }
  static bool has_sizes(const Tensor& grad, const OutputInfo& info) noexcept {
    if (grad.ndim() != info.ndim) return false;
    for (int32_t dim = 0; dim < info.ndim; ++dim) {
      if (grad.sizes()[dim] != info.sizes[dim]) return false;
    }
    return true;
  }

  // Makes a gradient fit the output that the edge leads to: sums over broadcast dims and casts back
  // to its dtype, so formulas need not.
  static TensorPtr fit(TensorPtr grad, const Node& node, const Edge& edge) {
    const OutputInfo& info = edge.node->output(edge.output);
    TENON_CHECK(info.flows(), TENON_ERROR_INTERNAL, node.name(),
                ": edge must lead to an output that has a gradient");
    try {
      if (!has_sizes(*grad, info)) grad = operators::sum_to(*grad, info.size_span());
      if (info.dtype >= 0 && grad->dtype() != info.dtype) grad = operators::cast(*grad, info.dtype);
    } catch (const Error& error) {
      error.object()->add_note(base::concat("a gradient returned by ", node.name(), ""));
      throw;
    }
    return grad;
  }

  const PassOptions options_;
  const uint32_t anomaly_ = anomaly_flags();
  const std::span<const Root> roots_;
  const std::span<const Target> targets_;
  const GradientSink sink_;
  std::vector<TensorPtr> captured_;  // one per target
  ReadyQueue queue_;
  // Nodes that lead to a target. Without targets: all reachable nodes, computed on first use.
  NodeSet marks_;
};

}  // namespace

void run_backward(std::span<const Root> roots, std::span<const Target> leaves,
                  const PassOptions& options) {
  Task(options, roots, leaves, GradientSink::kAccumulate).run();
}

std::vector<TensorPtr> run_grad(std::span<const Root> roots, std::span<const Target> targets,
                                const PassOptions& options) {
  Task task(options, roots, targets, GradientSink::kCapture);
  task.run();
  return task.take_captured();
}

}  // namespace tenon::autograd
