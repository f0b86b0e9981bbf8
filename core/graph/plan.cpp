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

bool wants_ints(const schema::Type& type) {
  const schema::Type& plain = *schema::unwrap_optional(&type);
  if (plain.kind != TENON_TYPE_LIST) return false;
  const uint32_t kind = schema::unwrap_optional(plain.elements[0])->kind;
  return kind == TENON_TYPE_INT || kind == TENON_TYPE_SYMINT;
}

/// The times at which numbers become known: 0 before all steps, k + 1 after step k.
class NumberTimes {
 public:
  explicit NumberTimes(const Graph& graph)
      : graph_(graph), times_(graph.values().size(), kNotWanted) {}

  void want(const tenon_value& value) {
    each_reference(value, [this](uint32_t number) {
      if (graph_.is_run_number(number)) time_of(number);
    });
  }
  /// Returns UINT32_MAX for a number that is not used.
  uint32_t operator[](uint32_t value) const { return times_[value]; }

  uint32_t time_of(const tenon_value& number) {
    if (number.tag != TENON_TAG_REF) return 0;
    const auto value = static_cast<uint32_t>(number.as.i);
    return graph_.is_run_number(value) ? time_of(value) : made_at(value);
  }

 private:
  static constexpr uint32_t kNotWanted = UINT32_MAX;

  uint32_t time_of(uint32_t value) {
    if (times_[value] != kNotWanted) return times_[value];
    const Value& its = graph_.values()[value];
    uint32_t time = 0;
    if (its.kind == TENON_GRAPH_VALUE_SIZE) {
      const Size& size = graph_.sizes()[its.source];
      TENON_CHECK(size.tensor != kUnbound, TENON_ERROR_STATE, "tenon_graph_run: ", size.name,
                  " must be the size of an input or result in the graph, got a size of another "
                  "tensor; make that tensor an input");
      time = made_at(size.tensor);
    } else {
      for (const tenon_value& operand : graph_.functions()[its.source].operands) {
        time = std::max(time, time_of(operand));
      }
    }
    return times_[value] = time;
  }

  // Returns the time at which a value that is not a number exists.
  uint32_t made_at(uint32_t value) const {
    const Value* its = &graph_.values()[value];
    if (its->kind == TENON_GRAPH_VALUE_ELEMENT) its = &graph_.values()[its->source];
    return its->kind == TENON_GRAPH_VALUE_RESULT ? its->source + 1 : 0;
  }

  const Graph& graph_;
  std::vector<uint32_t> times_;
};

}  // namespace

Plan::Plan(const tenon_graph& graph) : graph_(graph) {
  for (size_t i = 0; i < graph.nodes().size(); ++i) add_step(graph, i);
  plan_releases(graph);
}

// Prepares an argument for all runs: numbers passed as tensors are converted once.
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
              "tenon_graph_run: ", node.op->name(),
              " must have the schema that it had when it was recorded, got ",
              schema ? schema->text() : "none");
  auto* args = arena_.copy<tenon_value>({node.args, node.nargs});
  uint32_t list_elements = 0;
  for (uint32_t i = 0; i < node.nargs; ++i) {
    const bool named = i < schema->arguments().size();
    const bool is_tensor = named && wants_tensors(*schema->arguments()[i].type);
    args[i] = prepare(args[i], is_tensor);
    if (args[i].tag == TENON_TAG_REF) {
      patches_.push_back({i, static_cast<uint32_t>(args[i].as.i), FillKind::kValue});
    } else if (is_tensor && args[i].tag == TENON_TAG_LIST) {
      patches_.push_back({i, 0, FillKind::kTensorList});
      list_elements += args[i].count;
    } else if (named && args[i].tag == TENON_TAG_LIST && has_reference(args[i]) &&
               wants_ints(*schema->arguments()[i].type)) {
      patches_.push_back({i, 0, FillKind::kIntList});
    } else if (has_reference(args[i])) {
      patches_.push_back({i, 0, FillKind::kDeep});
    }
  }
  most_args_ = std::max(most_args_, node.nargs);
  most_elements_ = std::max(most_elements_, list_elements);
  steps_.push_back({node.op, args, node.nargs, node.first_value, node.nresults,
                    static_cast<uint32_t>(patches_.size()), 0, 0});
}

// Returns, for each step, the used numbers that become known after it and the guards that can be
// checked then. Those that depend only on inputs go to first_.
std::vector<std::vector<Plan::Element>> Plan::plan_numbers(const Graph& graph) {
  std::vector<std::vector<Element>> known(graph.nodes().size());
  if (graph.sizes().empty() && graph.functions().empty()) return known;
  NumberTimes times(graph);
  for (const Node& node : graph.nodes()) {
    for (uint32_t a = 0; a < node.nargs; ++a) times.want(node.args[a]);
  }
  for (const tenon_value& output : graph.outputs()) times.want(output);
  for (const Input& input : graph.inputs()) {
    const TensorMeta* meta = graph.values()[input.value].meta;
    if (meta == nullptr || meta->dims == nullptr) continue;
    for (int32_t d = 0; d < meta->ndim; ++d) times.want(meta->dims[d]);
  }
  std::vector<uint32_t> guard_times;
  for (const Guard& guard : graph.guards()) {
    guard_times.push_back(
        std::max(times.time_of(guard.operands[0]), times.time_of(guard.operands[1])));
  }
  const auto add = [&](uint32_t time, const Element& element) {
    if (time != UINT32_MAX) (time == 0 ? first_ : known[time - 1]).push_back(element);
  };
  for (uint32_t value = 0; value < graph.values().size(); ++value) {
    if (graph.is_run_number(value)) add(times[value], {value, kNumber, 0});
  }
  for (uint32_t i = 0; i < guard_times.size(); ++i) add(guard_times[i], {i, kGuard, 0});
  return known;
}

// Releases each result after the step that uses it last. Lists live as long as their elements.
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
  const std::vector<std::vector<Element>> numbers = plan_numbers(graph);
  for (size_t i = 0; i < steps_.size(); ++i) {
    releases_.insert(releases_.end(), dying[i].begin(), dying[i].end());
    for (const uint32_t value : elements[i]) {
      elements_.push_back({value, values[value].source, values[value].index});
    }
    elements_.insert(elements_.end(), numbers[i].begin(), numbers[i].end());
    steps_[i].releases_end = static_cast<uint32_t>(releases_.size());
    steps_[i].elements_end = static_cast<uint32_t>(elements_.size());
  }
}

}  // namespace tenon::graph
