// SPDX-License-Identifier: Apache-2.0
#include "graph/effects.h"
#include "graph/passes.h"
#include "graph/references.h"
#include "graph/rewrite.h"

namespace tenon::graph {

namespace {

/// The values and nodes that outputs and nodes with effects need, found from the end.
class LiveSet {
 public:
  LiveSet(const Graph& graph, const Effects& effects)
      : graph_(graph), values_(graph.values().size()), nodes_(graph.nodes().size()) {
    for (const tenon_value& output : graph.outputs()) need(output);
    for (const Guard& guard : graph.guards()) {
      for (const tenon_value& operand : guard.operands) need(operand);
    }
    for (size_t i = graph.nodes().size(); i-- > 0;) {
      const Node& node = graph.nodes()[i];
      bool needed = effects.has_effect(i);
      for (uint32_t r = 0; r < node.nresults; ++r) needed = needed || values_[node.first_value + r];
      if (!needed) continue;
      nodes_[i] = true;
      for (uint32_t a = 0; a < node.nargs; ++a) need(node.args[a]);
    }
  }
  bool node(size_t number) const { return nodes_[number]; }

 private:
  void need(const tenon_value& value) {
    each_reference(value, [&](uint32_t number) {
      if (values_[number]) return;
      values_[number] = true;
      const Value& its = graph_.values()[number];
      if (its.kind == TENON_GRAPH_VALUE_ELEMENT) {
        values_[its.source] = true;
      } else if (its.kind == TENON_GRAPH_VALUE_SIZE) {
        const uint32_t tensor = graph_.sizes()[its.source].tensor;
        if (tensor != kUnbound) need(reference(tensor));
      } else if (its.kind == TENON_GRAPH_VALUE_FUNCTION) {
        for (const tenon_value& operand : graph_.functions()[its.source].operands) need(operand);
      }
    });
  }
  const Graph& graph_;
  std::vector<bool> values_, nodes_;
};

}  // namespace

GraphPtr remove_dead(const Graph& graph) {
  const LiveSet needed(graph, Effects(graph));
  Rewrite rewrite(graph);
  for (size_t i = 0; i < graph.nodes().size(); ++i) {
    if (needed.node(i)) rewrite.keep(graph.nodes()[i]);
  }
  return rewrite.finish();
}

}  // namespace tenon::graph
