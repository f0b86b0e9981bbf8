// SPDX-License-Identifier: Apache-2.0
#include "graph/effects.h"
#include "graph/one_call.h"
#include "graph/passes.h"
#include "graph/references.h"
#include "graph/rewrite.h"

namespace tenon::graph {

namespace {

/// The values of a graph that are the same in all runs.
class Constants {
 public:
  explicit Constants(const Graph& graph) : graph_(graph), effects_(graph) {
    tensors_.resize(graph.values().size());
    for (const Attribute& attribute : graph.attributes()) {
      // A tracked tensor is trained, and so changes.
      if (!effects_.is_written(attribute.value) && !attribute.tensor->may_be_tracked()) {
        tensors_[attribute.value] = attribute.tensor;
      }
    }
  }

  tensor::Tensor* of(uint32_t value) const { return tensors_[value].get(); }

  /// Runs a node now if all its arguments are constants. Returns true if it did.
  bool fold(size_t number) {
    const Node& node = graph_.nodes()[number];
    if (!effects_.is_functional(number) || !is_ready(node)) return false;
    std::vector<tenon_value> args(node.args, node.args + node.nargs);
    for (tenon_value& arg : args) arg = filled(arg);
    const std::vector<tenon_value> results = run_one_call(node.op, args, node.nresults);
    for (uint32_t r = 0; r < node.nresults; ++r) {
      tensors_[node.first_value + r] = tensor::TensorPtr::adopt(results[r].as.tensor);
    }
    return true;
  }

 private:
  // Returns true if the node takes constants, at least one, and its results are never written.
  bool is_ready(const Node& node) const {
    bool any = false, all = true;
    for (uint32_t a = 0; a < node.nargs; ++a) {
      each_reference(node.args[a], [&](uint32_t value) {
        any = true;
        all = all && tensors_[value];
      });
    }
    for (uint32_t r = 0; r < node.nresults; ++r) {
      const Value& value = graph_.values()[node.first_value + r];
      const bool is_tensor = value.type != nullptr && value.type->kind == TENON_TYPE_TENSOR;
      all = all && is_tensor && !effects_.is_written(node.first_value + r);
    }
    return any && all;
  }
  tenon_value filled(const tenon_value& value) {
    return with_references(value, arena_,
                           [this](uint32_t number) { return tenon_value_of_tensor(of(number)); });
  }

  const Graph& graph_;
  const Effects effects_;
  std::vector<tensor::TensorPtr> tensors_;  // by value; NULL if not a constant
  Arena arena_;
};

}  // namespace

GraphPtr fold_constants(const Graph& graph) {
  Constants constants(graph);
  Rewrite rewrite(graph);
  for (size_t i = 0; i < graph.nodes().size(); ++i) {
    const Node& node = graph.nodes()[i];
    if (!constants.fold(i)) {
      rewrite.keep(node);
      continue;
    }
    for (uint32_t r = 0; r < node.nresults; ++r) {
      rewrite.replace(node.first_value + r, *constants.of(node.first_value + r));
    }
  }
  return rewrite.finish();
}

}  // namespace tenon::graph
