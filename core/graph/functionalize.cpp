// SPDX-License-Identifier: Apache-2.0
// Graphs without writes. Values of the old graph that share memory form a tree: a base, and views
// of it or of other views. A write replaces the value of the base; views are made again at their
// next use.
#include <algorithm>

#include "base/check.h"
#include "dispatch/key_tls.h"
#include "dispatch/lookup.h"
#include "graph/effects.h"
#include "graph/functional_twin.h"
#include "graph/graph.h"
#include "graph/number_hint.h"
#include "graph/one_call.h"
#include "graph/operators.h"
#include "graph/passes.h"
#include "graph/references.h"
#include "graph/rewrite.h"
#include "graph/view_inverse.h"

namespace tenon::graph {

namespace {

constexpr uint32_t kNone = UINT32_MAX;

bool gives_alias(const schema::Schema& schema) {
  return std::any_of(schema.returns().begin(), schema.returns().end(),
                     [](const schema::Argument& result) { return result.alias != nullptr; });
}

/// Infers the results of calls from tensors on Meta with the recorded sizes.
class Shapes {
 public:
  explicit Shapes(const Graph& graph) noexcept : graph_(graph) {}

  /// Returns result `index` of a call. `meta_of(value)` returns the metadata of a referenced value.
  /// Returns NULL if metadata is unknown, or if a kernel refuses tensors without elements.
  template <class MetaOf>
  tensor::TensorPtr result(const tenon_op* op, const std::vector<tenon_value>& args, uint32_t count,
                           uint32_t index, MetaOf&& meta_of) {
    std::vector<tensor::TensorPtr> tensors;
    bool known = true;
    const auto stand_in = [&](uint32_t value) {
      if (graph_.is_run_number(value)) {
        const auto hint = hint_of(graph_, reference(value));
        known = known && hint;
        return tenon_value_of_int(hint.value_or(0));
      }
      const TensorMeta* meta = meta_of(value);
      const auto sizes = meta != nullptr ? hinted_sizes(graph_, *meta) : std::nullopt;
      if (!sizes) {
        known = false;
        return tenon_value{};
      }
      const tenon_device device{TENON_DEVICE_META, 0};
      tensors.push_back(tensor::TensorPtr::adopt(
          tensor::Tensor::make(meta->dtype, &device, *sizes, meta->strides)));
      return tenon_value_of_tensor(tensors.back().get());
    };
    std::vector<tenon_value> filled;
    for (const tenon_value& arg : args) {
      filled.push_back(with_references(arg, arena_, stand_in));
      // Factories, too, make tensors without elements, and draw no random numbers for them.
      if (arg.tag == TENON_TAG_DEVICE) filled.back().as.device = {TENON_DEVICE_META, 0};
    }
    if (!known) return {};
    std::vector<tenon_value> results;
    try {
      // Hide the call from layers and recordings of the thread.
      const auto guard = dispatch::KeyGuard::exclude(~kPlain);
      results = run_one_call(op, filled, count);
    } catch (const Error&) {
      return {};
    }
    tensor::TensorPtr found;
    for (uint32_t r = 0; r < count; ++r) {
      if (r == index && results[r].tag == TENON_TAG_TENSOR) {
        found = tensor::TensorPtr::share(results[r].as.tensor);
      }
      value::clear(&results[r]);
    }
    return found;
  }

 private:
  static constexpr tenon_keyset kPlain =
      dispatch::functionality_bit(TENON_FUNCTIONALITY_DENSE) |
      dispatch::functionality_bit(TENON_FUNCTIONALITY_BACKEND_SELECT) |
      dispatch::functionality_bit(TENON_FUNCTIONALITY_AD_INPLACE_OR_VIEW);
  const Graph& graph_;
  Arena arena_;
};

// Returns true if elements of equal sizes are in the same memory order: dims of more than one
// element are ordered by stride alike. Then views of one are valid for the other.
bool same_order(const tensor::Tensor& made, const TensorMeta& meta) {
  if (meta.strides == nullptr || made.numel() == 0) return true;
  std::vector<int32_t> dims;
  for (int32_t d = 0; d < meta.ndim; ++d) {
    if (made.sizes()[d] > 1) dims.push_back(d);
  }
  const auto by_strides = [](const int64_t* strides) {
    return [strides](int32_t a, int32_t b) { return strides[a] > strides[b]; };
  };
  std::stable_sort(dims.begin(), dims.end(), by_strides(meta.strides));
  return std::is_sorted(dims.begin(), dims.end(), by_strides(made.strides()));
}

bool same_sizes(const tensor::Tensor& made, const Graph& graph, const TensorMeta& meta) {
  const auto sizes = hinted_sizes(graph, meta);
  return sizes && std::ranges::equal(*sizes, made.size_span());
}

class Functionalizer {
 public:
  Functionalizer(const Graph& graph, bool removes_views)
      : graph_(graph),
        removes_views_(removes_views),
        effects_(graph),
        rewrite_(graph),
        shapes_(graph),
        places_(graph.values().size()) {
    for (uint32_t i = 0; i < places_.size(); ++i) {
      places_[i].base = places_[i].same_as = i;
      places_[i].meta = graph.values()[i].meta;
    }
    check_attributes();
  }

  GraphPtr run() {
    for (uint32_t i = 0; i < graph_.nodes().size(); ++i) add(i);
    for (const tenon_value& output : graph_.outputs()) refresh_all(output);
    for (const Input& input : graph_.inputs()) write_back(input.value);
    for (const Attribute& attribute : graph_.attributes()) write_back(attribute.value);
    return rewrite_.finish();
  }

 private:
  // The position of a value of the old graph in the tree of its memory.
  struct MemoryNode {
    uint32_t same_as = kNone;  // of a result of a write: the written value; otherwise this value
    uint32_t parent = kNone;   // the value that this is a view of
    uint32_t base = kNone;     // the root of the tree
    uint32_t node = kNone;     // the node that makes the view, or the list of views
    uint32_t generation = 0;   // base: writes so far; view: that of its base when made
    uint32_t before = kNone;   // for a written base, its value in the new graph before the writes
    bool is_taken = false;
    const TensorMeta* meta = nullptr;
  };

  uint32_t same(uint32_t value) const { return places_[value].same_as; }
  bool is_base(uint32_t value) const { return places_[value].parent == kNone; }
  bool is_element(uint32_t value) const {
    return graph_.values()[value].kind == TENON_GRAPH_VALUE_ELEMENT;
  }

  void check_attributes() const {
    for (const Attribute& one : graph_.attributes()) {
      if (!effects_.is_written(one.value)) continue;
      for (const Attribute& other : graph_.attributes()) {
        TENON_CHECK(&one == &other || !one.tensor->has_storage() || !other.tensor->has_storage() ||
                        one.tensor->storage() != other.tensor->storage(),
                    TENON_ERROR_NOT_SUPPORTED, kFunctionalize, one.name,
                    " is modified inplace and must not share memory with another attribute, got ",
                    other.name);
      }
    }
  }

  void add(uint32_t number) {
    const Node& node = graph_.nodes()[number];
    const schema::SchemaPtr schema = dispatch::require_schema(*node.op);
    if (schema->is_mutable()) return write(node, *schema);
    if (!gives_alias(*schema)) return keep(node);
    if (node.nresults != 0 && effects_.is_written(node.first_value)) {
      return add_view(number);
    }
    if (!removes_views_) return keep(node);
    take(node, find_view_copy(*node.op, *schema));
  }

  void keep(const Node& node) {
    refresh_args(node);
    rewrite_.keep(node);
  }

  void add_view(uint32_t number) {
    const Node& node = graph_.nodes()[number];
    TENON_CHECK(is_known_view(*node.op) && node.args[0].tag == TENON_TAG_REF,
                TENON_ERROR_NOT_SUPPORTED, kFunctionalize, node.op->name(),
                ": only known view operators may share memory with a tensor that is modified "
                "inplace; record the graph below autograd to decompose composite operators");
    const uint32_t parent = same(static_cast<uint32_t>(node.args[0].as.i));
    refresh(parent);  // sets parent and base of an element of a list of views
    const uint32_t result = node.first_value;
    places_[result].parent = parent;
    places_[result].base = places_[parent].base;
    places_[result].node = number;
  }

  // ---- Current values ------------------------------------------------------------------------

  void refresh_args(const Node& node) {
    for (uint32_t a = 0; a < node.nargs; ++a) refresh_all(node.args[a]);
  }
  void refresh_all(const tenon_value& value) {
    each_reference(value, [&](uint32_t number) {
      if (graph_.is_run_number(number)) return;
      const uint32_t its = same(number);
      refresh(its);
      if (its != number) rewrite_.replace(number, its);
    });
  }

  // Brings a value up to date with all writes so far.
  void refresh(uint32_t value) {
    MemoryNode& place = places_[value];
    if (is_element(value)) {
      const uint32_t list = graph_.values()[value].source;
      if (is_base(list)) return;
      if (is_base(value)) {
        place.parent = list;
        place.base = places_[list].base;
      }
    }
    if (is_base(value)) return;
    const uint32_t now = places_[place.base].generation;
    if (place.is_taken && place.generation == now) return;
    refresh(place.parent);
    if (is_element(value)) {
      const uint32_t index = graph_.values()[value].index;
      rewrite_.set(value, rewrite_.append_element(rewrite_.map(place.parent), index), place.meta);
    } else {
      const Node& node = graph_.nodes()[place.node];
      take(node, removes_views_ ? find_view_copy(*node.op, *dispatch::require_schema(*node.op))
                                : node.op);
    }
    place.is_taken = true;
    place.generation = now;
  }

  // Appends a node of the old graph, possibly with another operator.
  void take(const Node& node, const tenon_op* op) {
    refresh_args(node);
    std::vector<tenon_value> args;
    for (uint32_t a = 0; a < node.nargs; ++a) args.push_back(rewrite_.mapped(node.args[a]));
    const uint32_t first = rewrite_.append(op, args);
    for (uint32_t r = 0; r < node.nresults; ++r) {
      rewrite_.set(node.first_value + r, first + r, places_[node.first_value + r].meta);
    }
  }

  // ---- Writes --------------------------------------------------------------------------------

  void write(const Node& node, const schema::Schema& schema) {
    const FunctionalTwin twin = find_functional_twin(node, schema);
    refresh_args(node);
    uint32_t last_written = kNone;
    for (uint32_t a = 0; a < node.nargs; ++a) {
      if (!schema.arguments()[a].is_written()) continue;
      TENON_CHECK(node.args[a].tag == TENON_TAG_REF, TENON_ERROR_NOT_SUPPORTED, kFunctionalize,
                  node.op->name(), ": ", schema.arguments()[a].name.view(),
                  " must be a tensor, got ", value::print(node.args[a]));
      last_written = same(static_cast<uint32_t>(node.args[a].as.i));
    }
    std::vector<tenon_value> old_args = twin_args(twin, places_[last_written].meta);
    std::vector<tenon_value> args;
    for (const tenon_value& arg : old_args) args.push_back(rewrite_.mapped(arg));
    const uint32_t first = rewrite_.append(twin.op, args);
    const auto count = static_cast<uint32_t>(twin.schema->returns().size());
    uint32_t result = 0;
    for (uint32_t a = 0; a < node.nargs; ++a) {
      if (!schema.arguments()[a].is_written()) continue;
      const uint32_t target = same(static_cast<uint32_t>(node.args[a].as.i));
      const tensor::TensorPtr shape =
          shapes_.result(twin.op, old_args, count, result,
                         [&](uint32_t value) { return places_[same(value)].meta; });
      set_written(node, schema, target, static_cast<int64_t>(a), first + result, shape.get());
      ++result;
    }
  }

  std::vector<tenon_value> twin_args(const FunctionalTwin& twin, const TensorMeta* written) {
    std::vector<tenon_value> args;
    for (size_t i = 0; i < twin.args.size(); ++i) {
      if (twin.args[i] != nullptr) {
        args.push_back(*twin.args[i]);
        // A reduction into a tensor computes in that tensor's dtype.
        const bool asks = args.back().tag == TENON_TAG_NONE && written != nullptr &&
                          twin.schema->arguments()[i].name.view() == "dtype";
        if (asks) args.back() = tenon_value_of_dtype(written->dtype);
        continue;
      }
      const schema::Argument& option = twin.schema->arguments()[i];
      tenon_value value = option.default_value->value();
      if (written != nullptr && option.name.view() == "dtype") {
        value = tenon_value_of_dtype(written->dtype);
      } else if (written != nullptr && option.name.view() == "device") {
        value.tag = TENON_TAG_DEVICE;
        value.as.device = written->device;
      }
      args.push_back(value);
    }
    return args;
  }

  // Makes `made` the new value of a written argument, and of the result that aliases it.
  void set_written(const Node& node, const schema::Schema& schema, uint32_t target,
                   int64_t argument, uint32_t made, const tensor::Tensor* shape) {
    const TensorMeta* after = places_[target].meta;
    for (uint32_t r = 0; r < node.nresults; ++r) {
      if (schema.aliased_argument(r) != argument) continue;
      places_[node.first_value + r].same_as = target;
      if (const TensorMeta* meta = graph_.values()[node.first_value + r].meta) after = meta;
    }
    const TensorMeta* before = places_[target].meta;
    const bool resized = before != nullptr && after != nullptr &&
                         hinted_sizes(graph_, *before) != hinted_sizes(graph_, *after);
    if (resized) {
      TENON_CHECK(is_base(target) && graph_.values()[target].kind == TENON_GRAPH_VALUE_RESULT,
                  TENON_ERROR_NOT_SUPPORTED, kFunctionalize, node.op->name(),
                  ": a resized tensor must not be an input, attribute or view, got one");
      // Its views would keep the old sizes and memory.
      const bool has_views = std::ranges::any_of(places_, [&](const MemoryNode& place) {
        return place.parent != kNone && place.base == target;
      });
      TENON_CHECK(!has_views, TENON_ERROR_NOT_SUPPORTED, kFunctionalize, node.op->name(),
                  ": a resized tensor must not have views, got a tensor with views");
      places_[target].meta = after;
    }
    assign(target, fitted(target, made, shape, resized));
  }

  // Converts a new value to the dtype and memory order of the value that it replaces.
  uint32_t fitted(uint32_t target, uint32_t made, const tensor::Tensor* shape, bool resized) {
    const TensorMeta* meta = places_[target].meta;
    if (shape != nullptr && meta != nullptr && same_sizes(*shape, graph_, *meta)) {
      const bool fits = scattered(target) || same_order(*shape, *meta);
      if (fits && shape->dtype() == meta->dtype) return made;
      if (fits || resized) return cast(made, meta->dtype);
    }
    TENON_CHECK(!resized, TENON_ERROR_NOT_SUPPORTED, kFunctionalize,
                "sizes of a resized tensor must be known, got unknown sizes");
    const tenon_value args[] = {reference(rewrite_.map(target)), reference(made),
                                tenon_value_of_bool(0)};
    return rewrite_.append(dispatch::find_operator(operators::kCopy), args);
  }
  uint32_t cast(uint32_t made, tenon_dtype dtype) {
    const tenon_op* op = dispatch::find_operator(operators::kToCopy);
    const schema::SchemaPtr schema = dispatch::require_schema(*op);
    std::vector<tenon_value> args;
    for (const schema::Argument& argument : schema->arguments()) {
      if (argument.default_value != nullptr) args.push_back(argument.default_value->value());
      if (argument.default_value == nullptr) args.push_back(reference(made));
      if (argument.name.view() == "dtype") args.back() = tenon_value_of_dtype(dtype);
    }
    return rewrite_.append(op, args);
  }
  bool scattered(uint32_t value) const {
    if (is_base(value)) return false;
    const uint32_t view = is_element(value) ? places_[value].parent : value;
    return scatters(*graph_.nodes()[places_[view].node].op);
  }

  void assign(uint32_t value, uint32_t made) {
    MemoryNode& place = places_[value];
    if (is_base(value)) {
      if (place.before == kNone) place.before = rewrite_.map(value);
      ++place.generation;
      return rewrite_.set(value, made, place.meta);
    }
    const uint32_t view = is_element(value) ? place.parent : value;
    const uint32_t index = is_element(value) ? graph_.values()[value].index : 0;
    const uint32_t parent = places_[view].parent;
    const bool keeps_strides = !scattered(value);
    refresh(parent);
    const uint32_t whole =
        undo_view(rewrite_, graph_.nodes()[places_[view].node], index, places_[parent].meta,
                  rewrite_.map(parent), made, removes_views_);
    assign(parent, whole);
    rewrite_.set(value, made, place.meta);
    // A scattered value may have another memory order than the view: make the view again on use.
    place.is_taken = keeps_strides;
    place.generation = places_[place.base].generation;
  }

  // ---- The end -------------------------------------------------------------------------------

  // Copies the final value of a written input or attribute into the original.
  void write_back(uint32_t value) {
    const uint32_t before = places_[value].before;
    if (before == kNone) return;
    const tenon_value args[] = {reference(before), reference(rewrite_.map(value)),
                                tenon_value_of_bool(0)};
    rewrite_.append(dispatch::find_operator(operators::kCopyInto), args);
  }

  const Graph& graph_;
  const bool removes_views_;
  const Effects effects_;
  Rewrite rewrite_;
  Shapes shapes_;
  std::vector<MemoryNode> places_;  // by value
};

}  // namespace

GraphPtr functionalize(const Graph& graph, uint32_t flags) {
  TENON_CHECK_ARG((flags & ~TENON_GRAPH_REMOVE_VIEWS) == 0, kFunctionalize,
                  "flags must be TENON_GRAPH_REMOVE_VIEWS or 0, got ", flags);
  return Functionalizer(graph, (flags & TENON_GRAPH_REMOVE_VIEWS) != 0).run();
}

}  // namespace tenon::graph
