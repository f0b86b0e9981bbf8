// SPDX-License-Identifier: Apache-2.0
#include "graph/rewrite.h"
#include "graph/references.h"

namespace tenon::graph {

Rewrite::Rewrite(const Graph& from) : from_(from), mapped_(from.values().size(), kUnknown) {
  for (const Input& input : from.inputs()) {
    const uint32_t value = to_->add_input(nullptr, input.name);
    to_->copy_meta(value, from.values()[input.value].meta);
    mapped_[input.value] = value;
  }
}

// What a value is in the new graph, where attributes and elements come to be on demand.
uint32_t Rewrite::map(uint32_t value) {
  if (mapped_[value] != kUnknown) return mapped_[value];
  const Value& its = from_.values()[value];
  if (its.kind == TENON_GRAPH_VALUE_ATTRIBUTE) {
    const Attribute& attribute = from_.attributes()[its.source];
    mapped_[value] = to_->add_attribute(*attribute.tensor, attribute.name);
  } else {
    TENON_DCHECK(its.kind == TENON_GRAPH_VALUE_ELEMENT);
    mapped_[value] = to_->add_element(map(its.source), its.index);
    to_->copy_meta(mapped_[value], its.meta);
  }
  return mapped_[value];
}

tenon_value Rewrite::mapped(const tenon_value& value) {
  return with_references(value, arena_, [this](uint32_t number) { return reference(map(number)); });
}

void Rewrite::keep(const Node& node) {
  std::vector<tenon_value> args(node.args, node.args + node.nargs);
  for (tenon_value& arg : args) arg = mapped(arg);
  const uint32_t first = to_->append(node.op, args);
  for (uint32_t i = 0; i < node.nresults; ++i) {
    mapped_[node.first_value + i] = first + i;
    to_->copy_meta(first + i, from_.values()[node.first_value + i].meta);
  }
}

GraphPtr Rewrite::finish() {
  for (const tenon_value& output : from_.outputs()) to_->add_output(mapped(output));
  return std::move(to_);
}

}  // namespace tenon::graph
