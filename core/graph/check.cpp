// SPDX-License-Identifier: Apache-2.0
// Inference of values by calls on fake tensors, to check the recorded metadata or to add to it.
#include <algorithm>
#include <optional>

#include "base/check.h"
#include "base/symbol_function.h"
#include "dispatch/lookup.h"
#include "graph/frames.h"
#include "graph/number_hint.h"
#include "graph/one_call.h"
#include "graph/passes.h"
#include "graph/references.h"
#include "graph/rewrite.h"
#include "tensor/device.h"
#include "tensor/layout.h"

namespace tenon::graph {

namespace {

std::string print_meta(tenon_dtype dtype, const tenon_device& device, tensor::Dims sizes,
                       const int64_t* strides) {
  const std::string turned =
      strides != nullptr && !tensor::is_row_major(sizes, {strides, sizes.size()})
          ? base::concat(" strides ", tensor::print_dims({strides, sizes.size()}))
          : std::string();
  return base::concat(tensor::dtype_name(dtype), tensor::print_dims(sizes), turned, ' ',
                      tensor::print_device(device));
}

/// The known values of a graph as fake tensors. `more` is added to the recorded values of sizes; if
/// it is empty, tensors whose dims are not plain numbers are unknown.
class FakeRun {
 public:
  FakeRun(const Graph& graph, std::optional<int64_t> more)
      : graph_(graph), more_(more), values_(graph.values().size()) {
    for (const Input& input : graph.inputs()) make(input.value);
    for (const Attribute& attribute : graph.attributes()) make(attribute.value);
  }
  ~FakeRun() {
    for (tenon_value& value : values_) value::clear(&value);
  }
  FakeRun(const FakeRun&) = delete;
  FakeRun& operator=(const FakeRun&) = delete;

  /// Makes the call of a node if all its arguments are known and its results do not depend on
  /// elements. Throws the error of the call.
  void call(size_t number) {
    const Node& node = graph_.nodes()[number];
    std::vector<tenon_value> args;
    for (uint32_t a = 0; a < node.nargs; ++a) {
      bool known = true;
      each_reference(node.args[a], [&](uint32_t value) { known = known && is_known(value); });
      if (!known) return;
      args.push_back(as_ints(with_references(node.args[a], arena_,
                                             [this](uint32_t value) { return borrowed(value); })));
    }
    try {
      const std::vector<tenon_value> results = run_one_call(node.op, args, node.nresults);
      std::copy(results.begin(), results.end(), &values_[node.first_value]);
    } catch (const Error& error) {
      const bool unknown =
          error.code() == TENON_ERROR_DATA_DEPENDENT || error.code() == TENON_ERROR_NO_KERNEL;
      if (!unknown) throw;
    }
  }

  /// Returns NULL for a value that is not a tensor, or not known.
  tensor::Tensor* tensor(uint32_t value) const {
    const tenon_value known = borrowed(value);
    return known.tag == TENON_TAG_TENSOR ? known.as.tensor : nullptr;
  }

 private:
  void make(uint32_t value) {
    const TensorMeta* meta = graph_.values()[value].meta;
    if (meta == nullptr || (meta->dims != nullptr && !more_)) return;
    const auto sizes = hinted_sizes(graph_, *meta, more_.value_or(0));
    if (!sizes) return;
    const tenon_device device = tensor::fake_device(meta->device);
    values_[value] = tenon_value_of_tensor(
        tensor::new_tensor(meta->dtype, &device, *sizes, meta->strides).detach());
    values_[value].flags = TENON_VALUE_OWNED;
  }
  // Converts a list of plain numbers, made from references, to an int list.
  tenon_value as_ints(const tenon_value& list) {
    if (list.tag != TENON_TAG_LIST || list.count == 0) return list;
    for (uint32_t i = 0; i < list.count; ++i) {
      if (value::elements(list)[i].tag != TENON_TAG_INT) return list;
    }
    auto* ints = arena_.make<int64_t>(list.count);
    for (uint32_t i = 0; i < list.count; ++i) ints[i] = value::elements(list)[i].as.i;
    return tenon_value_of_ints(ints, list.count);
  }
  tenon_value borrowed(uint32_t value) const {
    const Value& its = graph_.values()[value];
    if (graph_.is_run_number(value)) {
      const auto number =
          more_ ? hint_of(graph_, reference(value), *more_) : std::optional<int64_t>();
      return number ? tenon_value_of_int(*number) : tenon_value_of_none();
    }
    tenon_value known = values_[value];
    if (its.kind == TENON_GRAPH_VALUE_ELEMENT) {
      const tenon_value& list = values_[its.source];
      const bool there = list.tag == TENON_TAG_TENSOR_LIST && its.index < list.count;
      tenon_tensor* tensor = there ? value::tensors(list)[its.index] : nullptr;
      known = tensor != nullptr ? tenon_value_of_tensor(tensor) : tenon_value_of_none();
    }
    known.flags = 0;
    return known;
  }
  bool is_known(uint32_t value) const { return borrowed(value).tag != TENON_TAG_NONE; }

  const Graph& graph_;
  const std::optional<int64_t> more_;
  std::vector<tenon_value> values_;  // owned
  Arena arena_;
};

// Calls `body`. A note that names the node is added to its errors.
template <class Body>
void in_node(const Graph& graph, size_t number, Body&& body) {
  try {
    body();
  } catch (const Error& error) {
    error.object()->add_note(print_node(graph, number));
    throw;
  }
}

void check_schema(const Node& node) {
  const schema::SchemaPtr schema = dispatch::schema_of(*node.op);
  const bool same = schema && schema->arguments().size() == node.nargs &&
                    schema->returns().size() == node.nresults;
  TENON_CHECK(same, TENON_ERROR_NOT_SUPPORTED, "tenon_graph_check: ", node.op->name(),
              " must have the schema that it had when it was recorded, got ",
              schema ? schema->text() : "none");
}

// Strides of dims of size 1, and of tensors without elements, are ignored.
bool same_strides(tensor::Dims sizes, const int64_t* a, const int64_t* b) {
  if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) return true;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] != 1 && a[d] != b[d]) return false;
  }
  return true;
}

void check_value(const Graph& graph, const FakeRun& run, uint32_t value, int64_t more) {
  const TensorMeta* meta = graph.values()[value].meta;
  const tensor::Tensor* found = run.tensor(value);
  if (meta == nullptr || found == nullptr || found->is_symbolic()) return;
  const auto recorded = hinted_sizes(graph, *meta, more);
  if (!recorded) return;
  const tensor::Dims sizes = found->size_span();
  bool same = meta->dtype == found->dtype() && tensor::same_device(meta->device, found->device()) &&
              std::equal(recorded->begin(), recorded->end(), sizes.begin(), sizes.end());
  if (same && meta->dims == nullptr && meta->strides != nullptr) {
    same = same_strides(sizes, meta->strides, found->strides());
  }
  TENON_CHECK_TYPE(same, "tenon_graph_check: value ", value, " must match the result of its call, ",
                   print_meta(found->dtype(), found->device(), sizes, found->strides()), ", got ",
                   print_meta(meta->dtype, meta->device, *recorded,
                              meta->dims == nullptr ? meta->strides : nullptr));
}

// Returns true if the graph accepts sizes that are larger than the recorded ones by `more`.
bool takes(const Graph& graph, int64_t more) {
  for (const Size& size : graph.sizes()) {
    if (size.hint.tag != TENON_TAG_INT || size.hint.as.i + more > size.high) return false;
  }
  return std::ranges::all_of(graph.guards(), [&](const Guard& guard) {
    const auto a = hint_of(graph, guard.operands[0], more);
    const auto b = hint_of(graph, guard.operands[1], more);
    return a && b && base::calculate(guard.function, *a, *b).value_or(0) != 0;
  });
}

// Calls `use(value)` for the results of a node and their elements.
template <class Use>
void each_result(const Graph& graph, size_t number, Use&& use) {
  const Node& node = graph.nodes()[number];
  for (uint32_t r = 0; r < node.nresults; ++r) use(node.first_value + r);
}

}  // namespace

namespace {

void check_with(const Graph& graph, int64_t more) {
  FakeRun run(graph, more);
  for (size_t i = 0; i < graph.nodes().size(); ++i) {
    in_node(graph, i, [&] {
      run.call(i);
      each_result(graph, i, [&](uint32_t value) { check_value(graph, run, value, more); });
    });
  }
  for (uint32_t value = 0; value < graph.values().size(); ++value) {
    if (graph.values()[value].kind == TENON_GRAPH_VALUE_ELEMENT) {
      check_value(graph, run, value, more);
    }
  }
}

}  // namespace

void check(const Graph& graph) {
  for (size_t i = 0; i < graph.nodes().size(); ++i) {
    in_node(graph, i, [&] { check_schema(graph.nodes()[i]); });
  }
  check_with(graph, 0);
  // Check with other sizes, too: numbers in the graph may be right only for the recorded ones.
  constexpr int64_t kMore = 3;
  if (!graph.sizes().empty() && takes(graph, kMore)) check_with(graph, kMore);
}

GraphPtr infer(const Graph& graph) {
  FakeRun run(graph, std::nullopt);
  Rewrite rewrite(graph);
  for (size_t i = 0; i < graph.nodes().size(); ++i) {
    in_node(graph, i, [&] { run.call(i); });
    rewrite.keep(graph.nodes()[i]);
    each_result(graph, i, [&](uint32_t value) {
      const tensor::Tensor* found = run.tensor(value);
      if (found == nullptr || graph.values()[value].meta != nullptr || found->is_symbolic()) return;
      Graph& to = rewrite.to();
      to.set_meta(rewrite.map(value), to.new_meta(found->dtype(), found->device(),
                                                  found->size_span(), found->strides()));
    });
  }
  return rewrite.finish();
}

}  // namespace tenon::graph
