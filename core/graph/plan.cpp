// SPDX-License-Identifier: Apache-2.0
#include "graph/plan.h"

#include <algorithm>

#include "base/check.h"
#include "dispatch/lookup.h"
#include "graph/graph.h"
#include "graph/references.h"

namespace tenon::graph {

namespace {

bool has_reference(const tenon_value& value) {
  bool has = false;
  each_reference(value, [&](uint32_t) { has = true; });
  return has;
}

bool wants_tensors(const schema::Type& type) {
  const schema::Type& plain = *schema::unwrap_optional(&type);
  return plain.kind == TENON_TYPE_TENSOR ||
         (plain.kind == TENON_TYPE_LIST && wants_tensors(*plain.elements[0]));
}

}  // namespace

Plan::Plan(const tenon_graph& graph) : graph_(graph) {
  for (size_t i = 0; i < graph.nodes().size(); ++i) add_step(graph, i);
  plan_releases(graph);
}

// An argument as all runs have it: numbers that stand for tensors are made once.
tenon_value Plan::prepare(const tenon_value& value, bool is_tensor) {
  if (is_tensor && is_number(value.tag)) {
    numbers_.push_back(tensor::new_number(value));
    return tenon_value_of_tensor(numbers_.back().get());
  }
  if (!is_tensor || value.tag != TENON_TAG_LIST) return value;
  auto* elements = arena_.make<tenon_value>(value.count);
  for (uint32_t i = 0; i < value.count; ++i) {
    elements[i] = prepare(value::elements(value)[i], true);
  }
  return tenon_value_of_elements(TENON_TAG_LIST, elements, value.count);
}

void Plan::add_step(const tenon_graph& graph, size_t number) {
  const Node& node = graph.nodes()[number];
  const schema::SchemaPtr schema = dispatch::schema_of(*node.op);
  TENON_CHECK(schema && schema->arguments().size() <= node.nargs, TENON_ERROR_NOT_SUPPORTED,
              "tenon_graph_run: ", node.op->name(), " must have the schema that it had, got ",
              schema ? schema->text() : "none");
  auto* args = arena_.copy<tenon_value>({node.args, node.nargs});
  uint32_t list_elements = 0;
  for (uint32_t i = 0; i < node.nargs; ++i) {
    const bool named = i < schema->arguments().size();
    const bool is_tensor = named && wants_tensors(*schema->arguments()[i].type);
    args[i] = prepare(args[i], is_tensor);
    if (args[i].tag == TENON_TAG_REF) {
      patches_.push_back({i, static_cast<uint32_t>(args[i].as.i), Fill::kValue});
    } else if (is_tensor && args[i].tag == TENON_TAG_LIST) {
      patches_.push_back({i, 0, Fill::kTensorList});
      list_elements += args[i].count;
    } else if (has_reference(args[i])) {
      patches_.push_back({i, 0, Fill::kDeep});
    }
  }
  most_args_ = std::max(most_args_, node.nargs);
  most_elements_ = std::max(most_elements_, list_elements);
  steps_.push_back({node.op, args, node.nargs, node.first_value, node.nresults,
                    static_cast<uint32_t>(patches_.size()), 0, 0});
}

// Results that nothing uses any more go after the step that used them last; lists live as long as
// their elements.
void Plan::plan_releases(const tenon_graph& graph) {
  constexpr uint32_t kNever = UINT32_MAX;
  const std::vector<Value>& values = graph.values();
  std::vector<uint32_t> last_use(values.size(), kNever);
  const auto use = [&](uint32_t value, uint32_t step) {
    last_use[value] = step;
    if (values[value].kind == TENON_GRAPH_VALUE_ELEMENT) last_use[values[value].source] = step;
  };
  for (uint32_t i = 0; i < graph.nodes().size(); ++i) {
    const Node& node = graph.nodes()[i];
    for (uint32_t r = 0; r < node.nresults; ++r) last_use[node.first_value + r] = i;
    for (uint32_t a = 0; a < node.nargs; ++a) {
      each_reference(node.args[a], [&](uint32_t value) { use(value, i); });
    }
  }
  for (const tenon_value& output : graph.outputs()) {
    each_reference(output, [&](uint32_t value) { use(value, kNever); });
  }
  std::vector<std::vector<uint32_t>> dying(steps_.size()), elements(steps_.size());
  for (uint32_t value = 0; value < values.size(); ++value) {
    const Value& its = values[value];
    if (its.kind == TENON_GRAPH_VALUE_RESULT && last_use[value] != kNever) {
      dying[last_use[value]].push_back(value);
    } else if (its.kind == TENON_GRAPH_VALUE_ELEMENT) {
      elements[values[its.source].source].push_back(value);
    }
  }
  for (size_t i = 0; i < steps_.size(); ++i) {
    releases_.insert(releases_.end(), dying[i].begin(), dying[i].end());
    for (const uint32_t value : elements[i]) {
      elements_.push_back({value, values[value].source, values[value].index});
    }
    steps_[i].releases_end = static_cast<uint32_t>(releases_.size());
    steps_[i].elements_end = static_cast<uint32_t>(elements_.size());
  }
}

}  // namespace tenon::graph
