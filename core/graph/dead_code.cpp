// SPDX-License-Identifier: Apache-2.0
#include "graph/effects.h"
#include "graph/passes.h"
#include "graph/rewrite.h"

namespace tenon::graph {

namespace {

/// What outputs and nodes with effects need, found from the end.
class Needed {
 public:
  Needed(const Graph& graph, const Effects& effects)
      : graph_(graph), values_(graph.values().size()), nodes_(graph.nodes().size()) {
    for (const tenon_value& output : graph.outputs()) need(output);
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
      values_[number] = true;
      const Value& its = graph_.values()[number];
      if (its.kind == TENON_GRAPH_VALUE_ELEMENT) values_[its.source] = true;
    });
  }
  const Graph& graph_;
  std::vector<bool> values_, nodes_;
};

}  // namespace

GraphPtr remove_dead(const Graph& graph) {
  const Needed needed(graph, Effects(graph));
  Rewrite rewrite(graph);
  for (size_t i = 0; i < graph.nodes().size(); ++i) {
    if (needed.node(i)) rewrite.keep(graph.nodes()[i]);
  }
  return rewrite.finish();
}

}  // namespace tenon::graph
