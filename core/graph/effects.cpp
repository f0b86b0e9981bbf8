// SPDX-License-Identifier: Apache-2.0
#include "graph/effects.h"

#include "base/check.h"
#include "dispatch/argument_check.h"
#include "dispatch/lookup.h"

namespace tenon::graph {

namespace {

bool shares_memory(const schema::Schema& schema) {
  for (const schema::Argument& result : schema.returns()) {
    if (result.alias != nullptr) return true;
  }
  return false;
}

}  // namespace

bool is_random(const tenon_op& op) {
  const dispatch::SnapshotGuard guard(&op);
  return guard.get() == nullptr || (guard.get()->traits & dispatch::kIsRandom) != 0;
}

Effects::Effects(const Graph& graph)
    : effects_(graph.nodes().size()),
      functional_(graph.nodes().size()),
      written_(graph.values().size()),
      groups_(graph.values().size()) {
  for (uint32_t i = 0; i < groups_.size(); ++i) {
    const Value& value = graph.values()[i];
    groups_[i] = value.kind == TENON_GRAPH_VALUE_ELEMENT ? value.source : i;
  }
  std::vector<uint32_t> writes;
  for (size_t i = 0; i < graph.nodes().size(); ++i) {
    const Node& node = graph.nodes()[i];
    const schema::SchemaPtr schema = dispatch::schema_of(*node.op);
    TENON_CHECK(schema, TENON_ERROR_NOT_SUPPORTED, "tenon_graph_transform: ", node.op->name(),
                " must be defined, got no schema");
    const bool random = is_random(*node.op);
    effects_[i] = schema->is_mutable() || random || node.nresults == 0;
    functional_[i] = schema->is_functional() && !random;
    const bool shares = schema->is_mutable() || shares_memory(*schema);
    for (uint32_t a = 0; a < node.nargs; ++a) {
      const bool named = a < schema->arguments().size();
      const bool is_write = named && schema->arguments()[a].is_written();
      each_reference(node.args[a], [&](uint32_t value) {
        if (graph.is_run_number(value)) return;  // numbers have no memory
        if (is_write) writes.push_back(value);
        if (shares && node.nresults != 0) join(value, node.first_value);
      });
    }
    for (uint32_t r = 1; shares && r < node.nresults; ++r) {
      join(node.first_value + r, node.first_value);
    }
  }
  for (const uint32_t value : writes) written_[group(value)] = true;
}

}  // namespace tenon::graph
