// SPDX-License-Identifier: Apache-2.0
// What values are, found out by calls on fake tensors: checked against what is recorded, or noted.
#include "base/check.h"
#include "dispatch/lookup.h"
#include "graph/frames.h"
#include "graph/one_call.h"
#include "graph/passes.h"
#include "graph/references.h"
#include "graph/rewrite.h"
#include "tensor/device.h"

namespace tenon::graph {

namespace {

std::string print_meta(tenon_dtype dtype, const tenon_device& device, tensor::Dims sizes) {
  return base::concat(tensor::dtype_name(dtype), tensor::print_dims(sizes), ' ',
                      tensor::print_device(device));
}

/// The values of a graph as fake tensors, as far as they are known.
class FakeRun {
 public:
  explicit FakeRun(const Graph& graph) : graph_(graph), values_(graph.values().size()) {
    for (const Input& input : graph.inputs()) make(input.value);
    for (const Attribute& attribute : graph.attributes()) make(attribute.value);
  }
  ~FakeRun() {
    for (tenon_value& value : values_) value::clear(&value);
  }
  FakeRun(const FakeRun&) = delete;
  FakeRun& operator=(const FakeRun&) = delete;

  /// Makes the call of a node, if all that it takes is known and its results do not depend on
  /// elements. Throws what it raised.
  void call(size_t number) {
    const Node& node = graph_.nodes()[number];
    std::vector<tenon_value> args;
    for (uint32_t a = 0; a < node.nargs; ++a) {
      bool known = true;
      each_reference(node.args[a], [&](uint32_t value) { known = known && is_known(value); });
      if (!known) return;
      args.push_back(with_references(node.args[a], arena_,
                                     [this](uint32_t value) { return borrowed(value); }));
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

  /// NULL for a value that is no tensor, or not known.
  tensor::Tensor* tensor(uint32_t value) const {
    const tenon_value known = borrowed(value);
    return known.tag == TENON_TAG_TENSOR ? known.as.tensor : nullptr;
  }

 private:
  void make(uint32_t value) {
    const TensorMeta* meta = graph_.values()[value].meta;
    if (meta == nullptr || meta->dims != nullptr) return;
    const tenon_device device = tensor::fake_device(meta->device);
    const tensor::Dims sizes(meta->sizes, static_cast<size_t>(meta->ndim));
    values_[value] = tenon_value_of_tensor(
        tensor::new_tensor(meta->dtype, &device, sizes, meta->strides).detach());
    values_[value].flags = TENON_VALUE_OWNED;
  }
  tenon_value borrowed(uint32_t value) const {
    const Value& its = graph_.values()[value];
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
  std::vector<tenon_value> values_;  // owned
  Arena arena_;
};

// Calls `body`, whose errors get a note that names the node.
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
              " must have the schema that it had, got ", schema ? schema->text() : "none");
}

void check_value(const Graph& graph, const FakeRun& run, uint32_t value) {
  const TensorMeta* meta = graph.values()[value].meta;
  const tensor::Tensor* found = run.tensor(value);
  if (meta == nullptr || found == nullptr || found->is_symbolic()) return;
  if (meta->dims != nullptr) return;  // of which each run has others
  const tensor::Dims recorded(meta->sizes, static_cast<size_t>(meta->ndim));
  const tensor::Dims sizes = found->size_span();
  const bool same = meta->dtype == found->dtype() &&
                    tensor::same_device(meta->device, found->device()) &&
                    std::equal(recorded.begin(), recorded.end(), sizes.begin(), sizes.end());
  TENON_CHECK_TYPE(same, "tenon_graph_check: value ", value, " must be what its call gives, ",
                   print_meta(found->dtype(), found->device(), sizes), ", got ",
                   print_meta(meta->dtype, meta->device, recorded));
}

// Calls `use(value)` for the results of a node and their elements.
template <class Use>
void each_result(const Graph& graph, size_t number, Use&& use) {
  const Node& node = graph.nodes()[number];
  for (uint32_t r = 0; r < node.nresults; ++r) use(node.first_value + r);
}

}  // namespace

void check(const Graph& graph) {
  FakeRun run(graph);
  for (size_t i = 0; i < graph.nodes().size(); ++i) {
    in_node(graph, i, [&] {
      check_schema(graph.nodes()[i]);
      run.call(i);
      each_result(graph, i, [&](uint32_t value) { check_value(graph, run, value); });
    });
  }
  for (uint32_t value = 0; value < graph.values().size(); ++value) {
    if (graph.values()[value].kind == TENON_GRAPH_VALUE_ELEMENT) check_value(graph, run, value);
  }
}

GraphPtr infer(const Graph& graph) {
  FakeRun run(graph);
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
