// SPDX-License-Identifier: Apache-2.0
// Binds the nodes of a graph one after the other, with tensors as a run has them but for elements.
#include <algorithm>
#include <unordered_map>

#include "base/check.h"
#include "dispatch/argument_check.h"
#include "dispatch/call_path.h"
#include "dispatch/lookup.h"
#include "dispatch/registry.h"
#include "graph/bound_plan.h"
#include "graph/graph.h"
#include "graph/plan_run.h"

namespace tenon::graph {

namespace {

constexpr tenon_keyset kWrites =
    dispatch::functionality_bit(TENON_FUNCTIONALITY_AD_INPLACE_OR_VIEW);
constexpr tenon_keyset kDense = dispatch::functionality_bit(TENON_FUNCTIONALITY_DENSE);

[[noreturn]] void refuse(const tenon_op& op, std::string_view why) {
  fail(TENON_ERROR_NOT_SUPPORTED, op.name(), ": ", why);
}

// Whether a result is a view of an argument, and nothing is written.
bool makes_views(const schema::Schema& schema) {
  bool views = false;
  for (const schema::Argument& result : schema.returns()) views = views || result.alias != nullptr;
  return views && !schema.is_mutable();
}

template <class Each>
void each_tensor(const tenon_value& value, Each&& each) {
  if (value.tag == TENON_TAG_TENSOR) {
    if (value.as.tensor != nullptr) each(*value.as.tensor);
  } else if (value.tag == TENON_TAG_TENSOR_LIST) {
    for (uint32_t i = 0; i < value.count; ++i) {
      if (tensor::Tensor* tensor = value::tensors(value)[i]) each(*tensor);
    }
  }
}

char* address_of(const tensor::Tensor& tensor) noexcept {
  return static_cast<char*>(tensor.data());
}

// Bytes from the first element to the end of the last.
int64_t extent_of(const tensor::Tensor& tensor) noexcept {
  if (tensor.numel() == 0) return 0;
  int64_t last = 0;
  for (int32_t dim = 0; dim < tensor.ndim(); ++dim) {
    last += (tensor.sizes()[dim] - 1) * tensor.strides()[dim];
  }
  return (last + 1) * tensor.itemsize();
}

}  // namespace

class BoundPlan::Binder {
 public:
  Binder(BoundPlan& bound, const Graph& graph, const tenon_value* inputs)
      : bound_(bound), graph_(graph) {
    for (uint32_t i = 0; i < graph.inputs().size(); ++i) {
      tensor::Tensor& input = *inputs[i].as.tensor;
      TENON_CHECK(!places_.contains(&input), TENON_ERROR_NOT_SUPPORTED,
                  "tenon_graph_bind: inputs must be different tensors, got one twice");
      places_[&input] = {add_root(input, {Source::kInput, i}), 0};
    }
    for (const Attribute& attribute : graph.attributes()) {
      TENON_CHECK(!places_.contains(attribute.tensor.get()), TENON_ERROR_NOT_SUPPORTED,
                  "tenon_graph_bind: inputs must be no attributes of the graph, got ",
                  attribute.name);
      add_constant(*attribute.tensor);
    }
  }

  // One node, whose arguments and room for results are in the stack.
  void bind(const Node& node, tenon_stack* stack) {
    const schema::SchemaPtr schema = dispatch::schema_of(*node.op);
    if (!schema) refuse(*node.op, "the operator must be defined");
    check(dispatch::compare_arguments(*node.op, schema.get(), stack->args, stack->nargs));
    check_writes(*node.op, *schema, *stack);
    if (makes_views(*schema)) return view(*node.op, *schema, stack);
    tenon_keyset keys;
    const dispatch::Kernel& kernel = kernel_for(*node.op, *stack, &keys);
    bound_.steps_.push_back({{}, 0, number_of(node)});  // owns the state from now on
    tenon_bound& planned = bound_.steps_.back().bound;
    const tenon_status status = kernel.bind(kernel.entry.ctx, node.op, keys, stack, &planned);
    if (status != TENON_OK) {
      planned = {};
      throw_error(*node.op, stack, status);
    }
    if (planned.run == nullptr) {
      planned = {};
      refuse(*node.op, "arguments like these are not bound");
    }
    check_results(*node.op, *schema, stack);
    const uint32_t number = static_cast<uint32_t>(bound_.steps_.size() - 1);
    for (uint32_t i = 0; i < stack->nargs; ++i) {
      each_tensor(stack->args[i], [&](tensor::Tensor& tensor) { use(tensor, number); });
    }
    for (uint32_t i = 0; i < stack->nrets; ++i) {
      each_tensor(stack->rets[i],
                  [&](tensor::Tensor& tensor) { take_result(*node.op, tensor, number); });
    }
    bound_.steps_.back().places_end = static_cast<uint32_t>(bound_.places_.size());
  }

  void finish(const Plan::Run& run) {
    for (const tenon_value& output : graph_.outputs()) add_output(output, run);
  }

 private:
  uint32_t number_of(const Node& node) const noexcept {
    return static_cast<uint32_t>(&node - graph_.nodes().data());
  }

  // `owner` has the root's whole memory.
  uint32_t add_root(const tensor::Tensor& owner, const Root& root) {
    bound_.roots_.push_back(root);
    owners_.push_back(&owner);
    return static_cast<uint32_t>(bound_.roots_.size() - 1);
  }

  static void check(base::ErrorPtr error) {
    if (error) throw Error(std::move(error));
  }
  static void check_results(const tenon_op& op, const schema::Schema& schema, tenon_stack* stack) {
    check(dispatch::compare_results(op, schema, stack->args, stack->nargs, stack->rets,
                                    stack->nrets));
  }

  void add_constant(tensor::Tensor& tensor) {
    if (!tensor.has_storage() || !tensor.has_memory() || tensor.device().type != TENON_DEVICE_CPU) {
      fail(TENON_ERROR_NOT_SUPPORTED,
           "tenon_graph_bind: attributes must be tensors with memory on the CPU, got another");
    }
    places_[&tensor] = {add_root(tensor, {Source::kConstant, 0, address_of(tensor)}), 0};
  }

  // Only memory that the run makes itself is written.
  void check_writes(const tenon_op& op, const schema::Schema& schema, const tenon_stack& stack) {
    for (uint32_t i = 0; i < schema.arguments().size(); ++i) {
      if (!schema.arguments()[i].is_written()) continue;
      each_tensor(stack.args[i], [&](tensor::Tensor& tensor) {
        const Source source = bound_.roots_[place_of(tensor).root].source;
        if (source != Source::kScratch) refuse(op, "it writes an input or attribute of the graph");
      });
    }
  }

  // Numbers that stand for tensors are constants of the plan, which the graph keeps.
  Place place_of(tensor::Tensor& tensor) {
    const auto known = places_.find(&tensor);
    if (known != places_.end()) return known->second;
    add_constant(tensor);
    return places_[&tensor];
  }

  void use(tensor::Tensor& tensor, uint32_t step) {
    const Place place = place_of(tensor);
    Root& root = bound_.roots_[place.root];
    root.last_step = step;
    // One that the call resized may have become larger.
    if (root.source == Source::kScratch) {
      root.bytes = std::max(root.bytes, tensor.storage()->nbytes());
    }
    bound_.places_.push_back(place);
  }

  void take_result(const tenon_op& op, tensor::Tensor& tensor, uint32_t step) {
    if (places_.contains(&tensor)) return;  // an argument
    if (!tensor.has_storage() || !tensor.has_memory() || tensor.device().type != TENON_DEVICE_CPU) {
      refuse(op, "its result must have memory on the CPU here, got another");
    }
    Root root{Source::kScratch};
    root.bytes = tensor.storage()->nbytes();
    root.last_step = step;
    const int64_t offset = tensor.offset() * tensor::dtype_size(tensor.dtype());
    const Place place{add_root(tensor, root), offset};
    places_[&tensor] = place;
    bound_.places_.push_back(place);
    made_.push_back(tensor::TensorPtr::share(&tensor));
  }

  void view(const tenon_op& op, const schema::Schema& schema, tenon_stack* stack) {
    {
      const auto lock = dispatch::Registry::get().lock();
      const dispatch::Kernel* kernel = slot_of(op, keys_of(op, *stack));
      // Of a view that is made once nobody sees the other calls.
      if (kernel == nullptr || kernel->entry.language != TENON_LANGUAGE_CPP) {
        refuse(op, "its kernel does not bind");
      }
    }
    const tenon_status status = dispatch::call(&op, stack);
    if (status != TENON_OK) throw_error(op, stack, status);
    check_results(op, schema, stack);
    for (uint32_t i = 0; i < stack->nrets; ++i) {
      each_tensor(stack->rets[i], [&](tensor::Tensor& result) { place_view(op, result, *stack); });
    }
  }

  void place_view(const tenon_op& op, tensor::Tensor& result, const tenon_stack& stack) {
    bool found = places_.contains(&result);
    for (uint32_t i = 0; i < stack.nargs && !found; ++i) {
      each_tensor(stack.args[i], [&](tensor::Tensor& viewed) {
        if (found || viewed.storage() != result.storage()) return;
        const Place place = place_of(viewed);
        places_[&result] = {place.root, place.offset + (address_of(result) - address_of(viewed))};
        found = true;
      });
    }
    if (!found) refuse(op, "its result must be a view here, got a copy");
    made_.push_back(tensor::TensorPtr::share(&result));
  }

  // Those of a call that goes to a backend's kernel, once what it writes was counted.
  static tenon_keyset keys_of(const tenon_op& op, const tenon_stack& stack) {
    tenon_keyset keys = 0;
    if (dispatch::compute_keys(&op, stack.args, stack.nargs, &keys) != TENON_OK) {
      throw Error(base::take_current_error());
    }
    const tenon_keyset functionalities = keys & dispatch::kFunctionalityMask;
    if ((functionalities & ~(kWrites | kDense)) != 0 || (functionalities & kDense) == 0) {
      refuse(op, "no backend's kernel serves it");
    }
    return keys;
  }

  // The caller holds the registry's lock.
  static const dispatch::Kernel* slot_of(const tenon_op& op, tenon_keyset keys) {
    const dispatch::Snapshot& snapshot = *op.snapshot.load(std::memory_order_acquire);
    if ((keys & kWrites) != 0) {
      const dispatch::Kernel* counts = dispatch::slot_kernel(snapshot, keys);
      if (counts != nullptr && dispatch::Registry::get().find_built_in(*counts) == nullptr) {
        refuse(op, "a kernel for ADInplaceOrView serves it");
      }
    }
    return dispatch::slot_kernel(snapshot, keys & ~kWrites);
  }

  const dispatch::Kernel& kernel_for(const tenon_op& op, const tenon_stack& stack,
                                     tenon_keyset* out_keys) {
    const tenon_keyset keys = keys_of(op, stack);
    *out_keys = keys & ~kWrites;
    const auto lock = dispatch::Registry::get().lock();
    const dispatch::Kernel* kernel = slot_of(op, keys);
    if (kernel == nullptr || kernel->bind == nullptr) refuse(op, "its kernel does not bind");
    bound_.pins_.emplace_back(*kernel);
    return *kernel;
  }

  [[noreturn]] static void throw_error(const tenon_op& op, tenon_stack* stack,
                                       tenon_status status) {
    throw Error(stack->error != nullptr
                    ? base::ErrorPtr::adopt(std::exchange(stack->error, nullptr))
                    : base::adopt_current_error(op.name(), "kernel", status, true));
  }

  void add_output(const tenon_value& output, const Plan::Run& run) {
    constexpr const char* kRefusal =
        "tenon_graph_bind: outputs must be inputs or tensors that a node makes, got another";
    if (output.tag != TENON_TAG_REF) fail(TENON_ERROR_NOT_SUPPORTED, kRefusal);
    const tenon_value value = run.value_of(static_cast<uint32_t>(output.as.i));
    if (value.tag != TENON_TAG_TENSOR) fail(TENON_ERROR_NOT_SUPPORTED, kRefusal);
    tensor::Tensor& tensor = *value.as.tensor;
    const Place place = place_of(tensor);
    Root& root = bound_.roots_[place.root];
    const auto index = static_cast<uint32_t>(bound_.outputs_.size());
    const bool is_whole = owners_[place.root] == &tensor;
    if (root.source == Source::kInput && is_whole) {
      bound_.outputs_.push_back({root.number, kNone, TENON_DTYPE_NONE, {}, {}});
      return;
    }
    if (root.source == Source::kConstant || !is_whole || tensor.offset() != 0) {
      fail(TENON_ERROR_NOT_SUPPORTED, kRefusal);
    }
    if (root.bytes > extent_of(tensor)) fail(TENON_ERROR_NOT_SUPPORTED, kRefusal);  // it shrank
    if (root.source == Source::kScratch) {
      root.source = Source::kOutput;
      root.number = index;
    }
    const tensor::Dims sizes = tensor.size_span(), strides = tensor.stride_span();
    bound_.outputs_.push_back({kNone,
                               place.root,
                               tensor.dtype(),
                               {sizes.begin(), sizes.end()},
                               {strides.begin(), strides.end()}});
  }

  BoundPlan& bound_;
  const Graph& graph_;
  std::unordered_map<const tensor::Tensor*, Place> places_;
  std::vector<const tensor::Tensor*> owners_;  // of roots
  std::vector<tensor::TensorPtr> made_;        // whose addresses are in places_
};

BoundPlan::BoundPlan(const Graph& graph, const Plan& plan, const tenon_value* inputs)
    : graph_(graph) {
  try {
    Binder binder(*this, graph, inputs);
    Plan::Run run(plan);
    run.keep_all();
    run.bind(inputs);
    run.steps([&](uint32_t node, tenon_stack* stack) { binder.bind(graph.nodes()[node], stack); });
    binder.finish(run);
    plan_memory();
  } catch (...) {
    release();
    throw;
  }
}

}  // namespace tenon::graph
