// SPDX-License-Identifier: Apache-2.0
#include "autograd/engine.h"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <unordered_set>

#include "autograd/accumulate.h"
#include "autograd/anomaly.h"
#include "autograd/grad_mode_guard.h"
#include "autograd/node_extra.h"
#include "autograd/node_run.h"
#include "autograd/operators.h"
#include "autograd/pass.h"
#include "autograd/recording_modes.h"
#include "autograd/tensor_state.h"
#include "base/check.h"
#include "base/small_vector.h"
#include "tensor/layout.h"

namespace tenon::autograd {

namespace {

using tensor::Tensor;
using tensor::TensorPtr;

// The gradients that wait for one node.
struct Waiting {
  NodePtr node;
  base::SmallVector<Tensor*, 2> grads;  // owned; NULL: none yet
  base::SmallVector<uint8_t, 2> sums;   // 1: a sum that nobody else can hold

  Waiting() = default;
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  ~Waiting() {
    for (Tensor* grad : grads) {
      if (grad != nullptr) grad->release();
    }
  }
};

// What becomes of the gradients that arrive where they are asked for.
enum class Ends { kAccumulate, kCapture };

// One pass.
class Task final : public Pass {
 public:
  Task(const PassOptions& options, std::span<const Root> roots, std::span<const Target> targets,
       Ends ends)
      : options_(options),
        roots_(roots),
        targets_(targets),
        ends_(ends),
        captured_(targets.size()) {}

  void run() {
    if (!targets_.empty()) mark();
    const GradModeGuard guard(options_.create_graph);
    for (const Root& root : roots_) {
      if (is_needed(root.node.get())) give({root.node.get(), root.output}, root.grad);
    }
    while (!heap_.empty()) {
      Node* node = heap_.front().node;
      std::pop_heap(heap_.begin(), heap_.end(), &Entry::runs_later);
      heap_.pop_back();
      const auto found = waiting_.find(node);
      const std::unique_ptr<Waiting> waiting = std::move(found->second);
      waiting_.erase(found);
      run_noted(*node, *waiting);
    }
    run_done();
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

  std::vector<TensorPtr> take_captured() { return std::move(captured_); }

 private:
  struct Entry {
    uint64_t sequence;
    Node* node;
    static bool runs_later(const Entry& a, const Entry& b) noexcept {
      return a.sequence < b.sequence;
    }
  };

  // Finds the nodes that lead to a target. What is older than all targets leads to none.
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
    std::unordered_set<const Node*> seen;
    std::vector<Step> path;
    const auto enter = [&](Node* node) {
      if (node->sequence() >= oldest && seen.insert(node).second) path.push_back({node, 0});
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
        if (leads_on(*node)) marks_.insert(node);
      }
    }
  }

  bool is_needed(const Node* node) const { return targets_.empty() || marks_.contains(node); }

  // Adds a gradient to those that wait for a node.
  void give(const Edge& edge, TensorPtr grad) {
    std::unique_ptr<Waiting>& waiting = waiting_[edge.node];
    if (waiting == nullptr) {
      waiting = std::make_unique<Waiting>();
      waiting->node = NodePtr::share(edge.node);
      waiting->grads.resize(edge.node->output_count(), nullptr);
      waiting->sums.resize(edge.node->output_count(), 0);
      heap_.push_back({edge.node->sequence(), edge.node});
      std::push_heap(heap_.begin(), heap_.end(), &Entry::runs_later);
    }
    if (grad == nullptr) return;
    Tensor*& slot = waiting->grads[edge.output];
    uint8_t& is_sum = waiting->sums[edge.output];
    if (slot == nullptr) {
      slot = grad.detach();
    } else if (is_sum != 0 && !options_.create_graph) {
      operators::add_in_place(*slot, *grad);
    } else {
      TensorPtr sum = operators::add(*slot, *grad);
      slot->release();
      slot = sum.detach();
      is_sum = 1;
    }
  }

  void run_noted(Node& node, Waiting& waiting) {
    try {
      run(node, waiting);
    } catch (const Error& error) {
      note_origin(node, *error.object());
      throw;
    }
  }

  void run(Node& node, Waiting& waiting) {
    HookListPtr hooks;
    if (NodeExtra* extra = node.extra()) [[unlikely]] {
      hooks = extra->hooks();
      finish_grads(node, *extra, hooks.get(), waiting.grads);
    }
    if (ends_ == Ends::kCapture) {
      for (size_t i = 0; i < targets_.size(); ++i) {
        if (targets_[i].node.get() != &node) continue;
        captured_[i] = TensorPtr::share(waiting.grads[targets_[i].output]);
      }
    }
    if (!node.is_leaf()) {
      if (leads_on(node)) run_formula(node, waiting, hooks.get());
    } else if (ends_ == Ends::kAccumulate) {
      run_leaf(node, waiting, hooks.get());
    }
  }

  // The whole gradients of a node's outputs are here: hooks of tensors see them, and what outputs
  // retain is what they left.
  static void finish_grads(Node& node, NodeExtra& extra, const HookList* hooks,
                           std::span<Tensor*> grads) {
    for (uint32_t i = 0; i < grads.size(); ++i) {
      if (hooks != nullptr) run_grad_hooks(*hooks, node, i, &grads[i]);
      if (extra.has_retained() && grads[i] != nullptr) extra.add_retained(i, *grads[i]);
    }
  }

  void run_leaf(Node& leaf, Waiting& waiting, const HookList* hooks) {
    if (hooks == nullptr) [[likely]] {
      if (waiting.grads[0] != nullptr) accumulate(leaf, take(waiting.grads[0]), create_graph());
      return;
    }
    run_hooks_before(*hooks, leaf, waiting.grads);
    const TensorPtr grad = TensorPtr::share(waiting.grads[0]);
    if (grad != nullptr) {
      accumulate(leaf, take(waiting.grads[0]), create_graph());
      run_accumulated_hooks(*hooks, leaf);
    }
    Tensor* const outputs[] = {grad.get()};
    run_hooks_after(*hooks, leaf, {}, outputs);
  }

  bool create_graph() const noexcept { return options_.create_graph; }
  static TensorPtr take(Tensor*& grad) noexcept {
    return TensorPtr::adopt(std::exchange(grad, nullptr));
  }

  // Whether some edge of a node is to be followed.
  bool leads_on(const Node& node) const {
    return std::ranges::any_of(node.edges(), [&](const Edge& edge) {
      return edge.node != nullptr && is_needed(edge.node);
    });
  }

  void run_formula(Node& node, Waiting& waiting, const HookList* hooks) {
    const auto edges = node.edges();
    base::SmallVector<uint8_t, 8> needs(edges.size());
    for (size_t i = 0; i < edges.size(); ++i) {
      needs[i] = edges[i].node != nullptr && is_needed(edges[i].node) ? 1 : 0;
    }
    if (hooks != nullptr) run_hooks_before(*hooks, node, waiting.grads);
    materialize(node, waiting);
    InputGrads given(edges.size());
    run_node(node, waiting.grads, needs, options_.keep_graph, &given);
    for (size_t i = 0; i < edges.size(); ++i) {
      if (needs[i] == 0 || given.data()[i] == nullptr) continue;
      given.data()[i] = fit(given.take(i), node, edges[i]).detach();
    }
    if ((anomaly_ & TENON_ANOMALY_CHECK_NAN) != 0) {
      check_nan(node, {given.data(), edges.size()});
    }
    if (hooks != nullptr) {
      run_hooks_after(*hooks, node, {given.data(), edges.size()}, waiting.grads);
    }
    for (size_t i = 0; i < edges.size(); ++i) {
      if (needs[i] != 0) give(edges[i], given.take(i));
    }
  }

  // Gradients of some results came: those of the others are zeros, unless the formula says else.
  static void materialize(const Node& node, Waiting& waiting) {
    const Absent absent = node.formula()->absent();
    if (absent == Absent::kNothing) return;
    const bool undefined =
        std::ranges::all_of(waiting.grads, [](const Tensor* grad) { return grad == nullptr; });
    if (undefined && absent == Absent::kSkipped) return;
    for (uint32_t i = 0; i < waiting.grads.size(); ++i) {
      const OutputInfo& info = node.output(i);
      if (waiting.grads[i] == nullptr && info.flows()) {
        waiting.grads[i] = operators::zeros_for(info).detach();
      }
    }
  }

  // As the node behind the edge wants it: what was broadcast is summed, what was converted is
  // converted back. Formulas need no such code.
  static TensorPtr fit(TensorPtr grad, const Node& node, const Edge& edge) {
    const OutputInfo& info = edge.node->output(edge.output);
    const bool fits = std::ranges::equal(grad->size_span(), info.size_span());
    if (fits && grad->dtype() == info.dtype) [[likely]] {
      return grad;
    }
    TENON_CHECK(info.flows(), TENON_ERROR_INTERNAL, node.name(),
                ": edge must lead to an output that has a gradient");
    try {
      if (!fits) grad = operators::sum_to(*grad, info.size_span());
      if (info.dtype >= 0 && grad->dtype() != info.dtype) grad = operators::cast(*grad, info.dtype);
    } catch (const Error& error) {
      error.object()->add_note(base::concat("a gradient that ", node.name(), " gave"));
      throw;
    }
    return grad;
  }

  const PassOptions options_;
  const uint32_t anomaly_ = anomaly_flags();
  const std::span<const Root> roots_;
  const std::span<const Target> targets_;
  const Ends ends_;
  std::vector<TensorPtr> captured_;  // one for each target
  std::vector<Entry> heap_;
  std::unordered_map<Node*, std::unique_ptr<Waiting>> waiting_;
  // Nodes that lead to a target; without targets all, filled when somebody asks.
  std::unordered_set<const Node*> marks_;
};

}  // namespace

void run_backward(std::span<const Root> roots, std::span<const Target> leaves,
                  const PassOptions& options) {
  Task(options, roots, leaves, Ends::kAccumulate).run();
}

std::vector<TensorPtr> run_grad(std::span<const Root> roots, std::span<const Target> targets,
                                const PassOptions& options) {
  Task task(options, roots, targets, Ends::kCapture);
  task.run();
  return task.take_captured();
}

}  // namespace tenon::autograd
