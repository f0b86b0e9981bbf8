// SPDX-License-Identifier: Apache-2.0
#include "graph/rewrite.h"

#include "base/check.h"
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

// The same where something else than a value may stand for it, or for the list that it is of.
tenon_value Rewrite::argument(uint32_t value) {
  const Value& its = from_.values()[value];
  if (mapped_[value] == kUnknown && its.kind == TENON_GRAPH_VALUE_ELEMENT &&
      mapped_[its.source] == kStandIn) {
    const tenon_value list = argument(its.source);
    TENON_CHECK_INDEX(its.index < list.count, "graph: element ", its.index, " of value ",
                      its.source, " must be there, got a list of ", list.count, " in its place");
    return value::elements(list)[its.index];
  }
  if (mapped_[value] != kStandIn) return reference(map(value));
  const tenon_value& by = stand_ins_[value];
  TENON_CHECK(by.tag != TENON_TAG_NONE, TENON_ERROR_STATE, "graph: value ", value,
              ", whose call was dropped, must not be used any more, got a use");
  return by;
}

tenon_value Rewrite::mapped(const tenon_value& value) {
  return with_references(value, arena_, [this](uint32_t number) { return argument(number); });
}

void Rewrite::keep(const Node& node) {
  std::vector<tenon_value> args(node.args, node.args + node.nargs);
  for (tenon_value& arg : args) arg = mapped(arg);
  const uint32_t first = to_->append(node.op, args);
  to_->copy_frames(node);
  for (uint32_t i = 0; i < node.nresults; ++i) {
    mapped_[node.first_value + i] = first + i;
    to_->copy_meta(first + i, from_.values()[node.first_value + i].meta);
  }
}

void Rewrite::stand(uint32_t value, const tenon_value& by) {
  const tenon_value held = to_->hold(by);
  const schema::Type* type = from_.values()[value].type;
  TENON_CHECK_TYPE(held.tag == TENON_TAG_NONE || type == nullptr || to_->matches(held, *type),
                   "graph: what stands for value ", value, " must be ", type->text.view(), ", got ",
                   value::print(held));
  if (held.tag != TENON_TAG_REF) {
    mapped_[value] = kStandIn;
    stand_ins_.resize(mapped_.size());
    stand_ins_[value] = held;
    return;
  }
  mapped_[value] = static_cast<uint32_t>(held.as.i);
  if (to_->values()[mapped_[value]].meta == nullptr) {
    to_->copy_meta(mapped_[value], from_.values()[value].meta);
  }
}

GraphPtr Rewrite::finish() {
  for (const tenon_value& output : from_.outputs()) to_->add_output(mapped(output));
  return std::move(to_);
}

}  // namespace tenon::graph
