// SPDX-License-Identifier: Apache-2.0
// Binds the nodes of a graph one after the other, using tensors with metadata but no computed
// elements.
#include <algorithm>
#include <cstring>
#include <optional>
#include <unordered_map>

#include "base/check.h"
#include "dispatch/argument_check.h"
#include "dispatch/call_path.h"
#include "dispatch/kernel_guard.h"
#include "dispatch/key_tls.h"
#include "dispatch/lookup.h"
#include "dispatch/registry.h"
#include "dispatch/tags.h"
#include "graph/bound_plan.h"
#include "graph/effects.h"
#include "graph/graph.h"
#include "graph/operators.h"
#include "graph/plan_run.h"
#include "graph/recording.h"

namespace tenon::graph {

namespace {

constexpr tenon_keyset kWrites =
    dispatch::functionality_bit(TENON_FUNCTIONALITY_AD_INPLACE_OR_VIEW);
constexpr tenon_keyset kDense = dispatch::functionality_bit(TENON_FUNCTIONALITY_DENSE);

[[noreturn]] void refuse(const tenon_op& op, std::string_view why) {
  fail(TENON_ERROR_NOT_SUPPORTED, op.name(), ": ", why);
}

// Tags of operators whose results have elements that depend only on metadata and numbers, and of
// operators that copy their first argument into a new tensor.
constexpr std::string_view kMetadataOnly = "metadata_only";
constexpr std::string_view kCopiesInput = "copies_input";

// Returns true if the operator ships with the library, so that the behavior of its kernels is
// known.
bool ships(const tenon_op& op) noexcept {
  const std::string_view ns = op.ns();
  return ns == "aten" || ns == "tenon";
}

// Returns true if tags describe the effect of a call, so that runs need not repeat it.
bool is_described(const tenon_op& op) {
  return dispatch::is_tagged(op, kMetadataOnly) || dispatch::is_tagged(op, kCopiesInput) ||
         !dispatch::tag_value(op, "inverse=").empty();
}

// Returns true if a result is a view of an argument and nothing is written.
bool makes_views(const tenon_op& op, const schema::Schema& schema) {
  if (schema.is_mutable()) return false;
  for (const schema::Argument& result : schema.returns()) {
    if (result.alias != nullptr) return true;
  }
  return dispatch::is_tagged(op, "returns_view");  // not declared by the schema
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

// Returns the number of bytes from the first element to the end of the last.
int64_t extent_of(const tensor::Tensor& tensor) noexcept {
  if (tensor.numel() == 0) return 0;
  int64_t last = 0;
  for (int32_t dim = 0; dim < tensor.ndim(); ++dim) {
    last += (tensor.sizes()[dim] - 1) * tensor.strides()[dim];
  }
  return (last + 1) * tensor.itemsize();
}

}  // namespace

class BoundPlan::Binder final : CallInterceptor {
 public:
  Binder(BoundPlan& bound, const Graph& graph, const tenon_value* inputs)
      : bound_(bound), graph_(graph) {
    for (uint32_t i = 0; i < graph.inputs().size(); ++i) {
      tensor::Tensor& input = *inputs[i].as.tensor;
      TENON_CHECK(!places_.contains(&input), TENON_ERROR_NOT_SUPPORTED,
                  "tenon_graph_bind: inputs must be different tensors, got the same tensor twice");
      Root root{Source::kInput, i};
      root.bytes = extent_of(input);
      places_[&input] = {add_root(input, root), 0};
    }
    for (const Attribute& attribute : graph.attributes()) {
      TENON_CHECK(!places_.contains(attribute.tensor.get()), TENON_ERROR_NOT_SUPPORTED,
                  "tenon_graph_bind: inputs must not be attributes of the graph, got ",
                  attribute.name);
      add_constant(*attribute.tensor).tensor = attribute.tensor.get();
    }
    bound_.given_ = static_cast<uint32_t>(bound_.roots_.size());
  }

  // Binds one node, whose arguments and room for results are in the stack.
  void bind(const Node& node, tenon_stack* stack) {
    node_ = static_cast<uint32_t>(&node - graph_.nodes().data());
    bind(*node.op, stack);
  }

  void finish(const Plan::Run& run) {
    for (const tenon_value& output : graph_.outputs()) add_output(output, run);
    const auto inputs = static_cast<uint32_t>(graph_.inputs().size());
    for (const CountedWrite& write : bound_.writes_) {
      const Root& root = bound_.roots_[write.root];
      if (root.source == Source::kInput) continue;
      TENON_CHECK(bound_.is_apart(root, nullptr, inputs, bound_.given_), TENON_ERROR_NOT_SUPPORTED,
                  "tenon_graph_bind: an attribute that is modified must not share memory with "
                  "other attributes");
    }
  }

 private:
  // The kernel that serves a call, below the key that bumps versions.
  struct ServingKernel {
    const dispatch::Kernel* kernel;
    tenon_keyset keys;
    bool is_counted;   // a normal call bumps versions before it reaches the kernel
    bool is_implicit;  // the calls that the composite kernel makes bump them
    dispatch::KernelPin pin;
  };

  // Binds a call of a node, or a call that a kernel makes.
  void bind(const tenon_op& op, tenon_stack* stack) {
    const schema::SchemaPtr schema = dispatch::schema_of(op);
    if (!schema) refuse(op, "operator must be defined");
    check(dispatch::compare_arguments(op, schema.get(), stack->args, stack->nargs));
    if (is_filled_by_numbers(op, *schema, *stack)) return fill(op, *schema, stack);
    // An out form has the tags of its operator as well, but makes no tensor.
    if (!schema->is_mutable() && dispatch::is_tagged(op, kCopiesInput)) {
      return copy(op, *schema, stack);
    }
    ServingKernel served = find_kernel(op, *schema, *stack);
    if (served.kernel == nullptr || served.kernel->bind == nullptr) {
      if (!makes_views(op, *schema)) refuse(op, "its kernel cannot be bound");
      return view(op, *schema, stack);
    }
    bound_.pins_.push_back(std::move(served.pin));
    note_writes(op, *schema, *stack, served);
    if (!plan(op, served, stack)) return bind_calls(op, *schema, served, stack);
    check_results(op, *schema, stack);
    const uint32_t number = use_arguments(*stack);
    for (uint32_t i = 0; i < stack->nrets; ++i) {
      each_tensor(stack->rets[i], [&](tensor::Tensor& tensor) { take_result(op, tensor, number); });
    }
    bound_.steps_.back().places_end = static_cast<uint32_t>(bound_.places_.size());
  }

  // Adds a step for a call. Returns false, without a step, if the kernel reports that it only makes
  // calls.
  bool plan(const tenon_op& op, const ServingKernel& served, tenon_stack* stack) {
    const dispatch::Kernel& kernel = *served.kernel;
    bound_.steps_.push_back({{}, 0, node_});  // before bind(): owns the state that it makes
    tenon_bound& planned = bound_.steps_.back().bound;
    const tenon_status status = kernel.bind(kernel.entry.ctx, &op, served.keys, stack, &planned);
    if (status == TENON_DECLINED) {
      bound_.steps_.pop_back();
      return false;
    }
    if (status != TENON_OK) {
      planned = {};
      throw_error(op, stack, status);
    }
    if (planned.run == nullptr) {
      planned = {};
      refuse(op, "its kernel cannot be bound for these arguments");
    }
    return true;
  }

  // Runs a kernel that only calls operators, and binds its calls instead of making them.
  void bind_calls(const tenon_op& op, const schema::Schema& schema, const ServingKernel& served,
                  tenon_stack* stack) {
    const auto uncounted = dispatch::KeyGuard::exclude(served.is_counted ? kWrites : 0);
    tenon_status status;
    {
      const InterceptCalls taking(*this);
      status = dispatch::redispatch(&op, served.keys, stack);
    }
    if (status != TENON_OK) throw_error(op, stack, status);
    check_results(op, schema, stack);
    for (uint32_t i = 0; i < stack->nrets; ++i) {
      each_tensor(stack->rets[i], [&](tensor::Tensor& result) {
        if (places_.contains(&result) || find_in_known_memory(result)) return;
        refuse(op,
               "its result must be an argument or the result of an operator that it calls, got "
               "another tensor");
      });
    }
  }

  tenon_status take(const tenon_op* op, tenon_stack* stack) override {
    return dispatch::guard_kernel(stack, [&] {
      bind(*op, stack);
      return TENON_OK;
    });
  }

  // Adds a root; `owner` is a tensor that covers all of its memory.
  uint32_t add_root(const tensor::Tensor& owner, const Root& root) {
    const auto number = static_cast<uint32_t>(bound_.roots_.size());
    bound_.roots_.push_back(root);
    owners_.push_back(&owner);
    const auto [known, is_new] = owners_by_storage_.emplace(owner.storage(), number);
    if (!is_new) known->second = kNone;
    return number;
  }

  static void check(base::ErrorPtr error) {
    if (error) throw Error(std::move(error));
  }
  static void check_results(const tenon_op& op, const schema::Schema& schema, tenon_stack* stack) {
    check(dispatch::compare_results(op, schema, stack->args, stack->nargs, stack->rets,
                                    stack->nrets));
  }

  Root& add_constant(tensor::Tensor& tensor) {
    if (!tensor.has_storage() || !tensor.has_memory() || tensor.device().type != TENON_DEVICE_CPU) {
      fail(TENON_ERROR_NOT_SUPPORTED,
           "tenon_graph_bind: attributes must be CPU tensors with memory, got another tensor");
    }
    Root root{Source::kConstant, 0, address_of(tensor)};
    root.bytes = extent_of(tensor);
    const uint32_t number = add_root(tensor, root);
    places_[&tensor] = {number, 0};
    return bound_.roots_[number];
  }

  // Checks that written memory is allocated by the run, or belongs to an input or attribute.
  void note_writes(const tenon_op& op, const schema::Schema& schema, const tenon_stack& stack,
                   const ServingKernel& served) {
    for (uint32_t i = 0; i < schema.arguments().size(); ++i) {
      const schema::Argument& argument = schema.arguments()[i];
      if (!argument.is_written()) continue;
      each_tensor(stack.args[i], [&](tensor::Tensor& tensor) {
        const uint32_t number = place_of(tensor).root;
        if (make_own(number)) return;
        // Kernels resize an `out` of the wrong size, and binding would do so, too.
        if (number >= bound_.given_ || argument.is_out()) {
          refuse(op, "it modifies an input or attribute of the graph");
        }
        if (!served.is_implicit) note_write(number, served.is_counted);
      });
    }
  }

  // Returns true if a root is in memory of the run. A root with content that was computed by
  // binding is moved there: each run then begins with a copy of the content.
  bool make_own(uint32_t number) {
    Root& root = bound_.roots_[number];
    if (root.source == Source::kConstant && root.filled != kNotFilled) {
      root.source = Source::kScratch;
    }
    return root.source == Source::kScratch;
  }

  void note_write(uint32_t root, bool is_counted) {
    const auto known = std::find_if(bound_.writes_.begin(), bound_.writes_.end(),
                                    [&](const CountedWrite& write) { return write.root == root; });
    if (known != bound_.writes_.end()) {
      known->calls += is_counted;
    } else {
      bound_.writes_.push_back({root, is_counted});
    }
  }

  // Returns true if an operator's result does not depend on elements and is the same in each run:
  // for factories, and operators that make a tensor like another one.
  static bool is_filled_by_numbers(const tenon_op& op, const schema::Schema& schema,
                                   const tenon_stack& stack) {
    if (schema.is_mutable() || is_random(op) || stack.nrets != 1 || makes_views(op, schema)) {
      return false;
    }
    bool has_tensors = false;
    for (uint32_t i = 0; i < stack.nargs; ++i) {
      each_tensor(stack.args[i], [&](tensor::Tensor&) { has_tensors = true; });
      if (stack.args[i].tag == TENON_TAG_GENERATOR) return false;
    }
    return !has_tensors || dispatch::is_tagged(op, kMetadataOnly);
  }

  // Computes a tensor that is the same in each run. Runs that change it use a copy.
  void fill(const tenon_op& op, const schema::Schema& schema, tenon_stack* stack) {
    add_filled(call_once(op, schema, stack));
  }

  void add_filled(tensor::Tensor& made) {
    Root& root = add_constant(made);
    // Keep a copy: a call that resizes the tensor would free its memory.
    tensor::TensorPtr kept = tensor::new_tensor(TENON_DTYPE_U8, nullptr, {&root.bytes, 1});
    if (root.bytes != 0) {
      std::memcpy(kept->data(), root.address, static_cast<size_t>(root.bytes));
    }
    root.filled = root.bytes;
    root.address = address_of(*kept);
    bound_.kept_.push_back(std::move(kept));
    made_.push_back(tensor::TensorPtr::share(&made));
  }

  // Calls the operator once for the result's metadata; each run fills the result with the kernel of
  // copy_.
  void copy(const tenon_op& op, const schema::Schema& schema, tenon_stack* stack) {
    tensor::Tensor& made = call_once(op, schema, stack);
    tenon_value args[] = {tenon_value_of_tensor(&made), stack->args[0], tenon_value_of_bool(0)};
    tenon_value ret = tenon_value_of_none();
    tenon_stack copying{};
    copying.args = args;
    copying.nargs = 3;
    copying.rets = &ret;
    copying.nrets = 1;
    const tenon_op& copy = *dispatch::find_operator(operators::kCopyInto);
    place_new(op, made, static_cast<uint32_t>(bound_.steps_.size()));
    ServingKernel served = find_kernel(copy, *dispatch::schema_of_call(copy, copying), copying);
    if (served.kernel == nullptr || served.kernel->bind == nullptr ||
        !plan(copy, served, &copying)) {
      refuse(copy, "its kernel cannot be bound");
    }
    bound_.pins_.push_back(std::move(served.pin));
    value::drop(&ret);
    use_arguments(copying);
    bound_.steps_.back().places_end = static_cast<uint32_t>(bound_.places_.size());
  }

  // Checks that only the library's kernels see a call, so that omitting it in runs is unobservable.
  static void check_ours(const tenon_op& op, const tenon_stack& stack) {
    if (!ships(op)) {
      // The definition of another library's operator says what its kernels do.
      if (!is_described(op)) refuse(op, "its kernel cannot be bound");
      return;
    }
    tenon_keyset keys = 0;
    if (dispatch::compute_keys(&op, stack.args, stack.nargs, &keys) != TENON_OK) {
      throw Error(base::take_current_error());
    }
    const auto lock = dispatch::Registry::get().lock();
    const dispatch::Snapshot& snapshot = *op.snapshot.load(std::memory_order_acquire);
    const tenon_keyset cpu = kDense | dispatch::backend_bit(TENON_DEVICE_CPU);
    for (const tenon_keyset each : {keys, cpu}) {
      const dispatch::Kernel* kernel = dispatch::slot_kernel(snapshot, each);
      // The slot has no kernel if the key falls through.
      const bool is_ours = kernel == nullptr || kernel->entry.language == TENON_LANGUAGE_CPP ||
                           dispatch::Registry::get().find_built_in(*kernel) != nullptr;
      if (!is_ours) refuse(op, "its kernel cannot be bound");
    }
  }

  // Returns the place of a tensor. A tensor that no call has made is a wrapped number, or was
  // allocated by a kernel itself: it is filled from numbers only, or written by a later call.
  MemoryLocation place_of(tensor::Tensor& tensor) {
    const auto known = places_.find(&tensor);
    if (known != places_.end()) return known->second;
    if (const auto alias = find_in_known_memory(tensor)) return *alias;
    add_filled(tensor);
    return places_[&tensor];
  }

  // Returns the place of a tensor that shares the memory of a known one.
  std::optional<MemoryLocation> find_in_known_memory(tensor::Tensor& tensor) {
    if (!tensor.has_storage()) return std::nullopt;
    const auto known = owners_by_storage_.find(tensor.storage());
    if (known == owners_by_storage_.end()) return std::nullopt;
    TENON_CHECK(known->second != kNone, TENON_ERROR_NOT_SUPPORTED,
                "tenon_graph_bind: a view that a kernel creates without a call must belong to a "
                "single input or attribute, got a view of several that share memory");
    const uint32_t number = known->second;
    const tensor::Tensor& owner = *owners_[number];
    const MemoryLocation place{
        number, places_.at(&owner).offset + (address_of(tensor) - address_of(owner))};
    places_[&tensor] = place;
    made_.push_back(tensor::TensorPtr::share(&tensor));
    return place;
  }

  // Adds the places of a call's arguments to the last step, and returns the step's number.
  uint32_t use_arguments(const tenon_stack& stack) {
    const auto number = static_cast<uint32_t>(bound_.steps_.size() - 1);
    for (uint32_t i = 0; i < stack.nargs; ++i) {
      each_tensor(stack.args[i], [&](tensor::Tensor& tensor) { use(tensor, number); });
    }
    return number;
  }

  void use(tensor::Tensor& tensor, uint32_t step) {
    const MemoryLocation place = place_of(tensor);
    Root& root = bound_.roots_[place.root];
    root.last_step = step;
    // A call that resized the tensor may have enlarged it.
    if (root.source == Source::kScratch) {
      root.bytes = std::max(root.bytes, tensor.storage()->nbytes());
    }
    bound_.places_.push_back(place);
  }

  void take_result(const tenon_op& op, tensor::Tensor& tensor, uint32_t step) {
    if (places_.contains(&tensor)) return;  // an argument
    if (find_in_known_memory(tensor))
      refuse(op, "its result must be a new tensor or an argument, got a view");
    bound_.places_.push_back(place_new(op, tensor, step));
  }

  // Assigns a place to a tensor that a step makes.
  MemoryLocation place_new(const tenon_op& op, tensor::Tensor& tensor, uint32_t step) {
    if (!tensor.has_storage() || !tensor.has_memory() || tensor.device().type != TENON_DEVICE_CPU) {
      refuse(op, "its result must be a CPU tensor with memory, got another tensor");
    }
    Root root{Source::kScratch};
    root.bytes = tensor.storage()->nbytes();
    root.last_step = step;
    const int64_t offset = tensor.offset() * tensor::dtype_size(tensor.dtype());
    const MemoryLocation place{add_root(tensor, root), offset};
    places_[&tensor] = place;
    made_.push_back(tensor::TensorPtr::share(&tensor));
    return place;
  }

  // Calls an operator whose calls can be omitted in runs.
  static void call(const tenon_op& op, const schema::Schema& schema, tenon_stack* stack) {
    check_ours(op, *stack);
    const tenon_status status = dispatch::call(&op, stack);
    if (status != TENON_OK) throw_error(op, stack, status);
    check_results(op, schema, stack);
  }

  // Like call(), for an operator that makes one new tensor.
  tensor::Tensor& call_once(const tenon_op& op, const schema::Schema& schema, tenon_stack* stack) {
    call(op, schema, stack);
    const tenon_value& result = stack->rets[0];
    if (result.tag != TENON_TAG_TENSOR || places_.contains(result.as.tensor)) {
      refuse(op, "its result must be a new tensor, got an existing one");
    }
    return *result.as.tensor;
  }

  void view(const tenon_op& op, const schema::Schema& schema, tenon_stack* stack) {
    call(op, schema, stack);
    for (uint32_t i = 0; i < stack->nrets; ++i) {
      each_tensor(stack->rets[i], [&](tensor::Tensor& result) { place_view(op, result, *stack); });
    }
  }

  void place_view(const tenon_op& op, tensor::Tensor& result, const tenon_stack& stack) {
    bool found = places_.contains(&result);
    for (uint32_t i = 0; i < stack.nargs && !found; ++i) {
      each_tensor(stack.args[i], [&](tensor::Tensor& viewed) {
        if (found || viewed.storage() != result.storage()) return;
        const MemoryLocation place = place_of(viewed);
        places_[&result] = {place.root, place.offset + (address_of(result) - address_of(viewed))};
        found = true;
      });
    }
    if (!found) refuse(op, "its result must be a view of an argument, got another tensor");
    made_.push_back(tensor::TensorPtr::share(&result));
  }

  // Returns the keys of a call. Throws unless a backend's kernel serves it, with no key above that
  // except ADInplaceOrView.
  static tenon_keyset keys_of(const tenon_op& op, const tenon_stack& stack) {
    tenon_keyset keys = 0;
    if (dispatch::compute_keys(&op, stack.args, stack.nargs, &keys) != TENON_OK) {
      throw Error(base::take_current_error());
    }
    const tenon_keyset functionalities = keys & dispatch::kFunctionalityMask;
    if ((functionalities & ~(kWrites | kDense)) != 0 || (functionalities & kDense) == 0) {
      refuse(op, "no backend kernel serves it");
    }
    return keys;
  }

  // Returns the kernel that serves a call, with kernel NULL if only fallbacks do.
  static ServingKernel find_kernel(const tenon_op& op, const schema::Schema& schema,
                                   const tenon_stack& stack) {
    ServingKernel served{nullptr, keys_of(op, stack), false, false, {}};
    const auto lock = dispatch::Registry::get().lock();
    const dispatch::Snapshot& snapshot = *op.snapshot.load(std::memory_order_acquire);
    served.kernel = dispatch::slot_kernel(snapshot, served.keys);
    if (served.kernel != nullptr && served.kernel->key == TENON_KEY_COMPOSITE_IMPLICIT_AUTOGRAD) {
      served.is_implicit = true;
    } else if ((served.keys & kWrites) != 0) {
      if (served.kernel != nullptr &&
          dispatch::Registry::get().find_built_in(*served.kernel) == nullptr) {
        refuse(op, "a kernel for ADInplaceOrView serves it");
      }
      served.is_counted = schema.is_mutable();
      served.keys &= ~kWrites;
      served.kernel = dispatch::slot_kernel(snapshot, served.keys);
    }
    if (served.kernel != nullptr) served.pin = dispatch::KernelPin(*served.kernel);
    return served;
  }

  [[noreturn]] static void throw_error(const tenon_op& op, tenon_stack* stack,
                                       tenon_status status) {
    throw Error(stack->error != nullptr
                    ? base::ErrorPtr::adopt(std::exchange(stack->error, nullptr))
                    : base::adopt_current_error(op.name(), "kernel", status, true));
  }

  void add_output(const tenon_value& output, const Plan::Run& run) {
    constexpr const char* kRefusal =
        "tenon_graph_bind: outputs must be inputs, attributes or tensors created by nodes, with "
        "unchanged dtype, got another value";
    if (output.tag != TENON_TAG_REF) fail(TENON_ERROR_NOT_SUPPORTED, kRefusal);
    const tenon_value value = run.value_of(static_cast<uint32_t>(output.as.i));
    if (value.tag != TENON_TAG_TENSOR) fail(TENON_ERROR_NOT_SUPPORTED, kRefusal);
    tensor::Tensor& tensor = *value.as.tensor;
    const size_t same = std::find(given_.begin(), given_.end(), &tensor) - given_.begin();
    if (same != given_.size()) {
      given_.push_back(nullptr);
      bound_.outputs_.push_back({Kind::kSame, static_cast<uint32_t>(same)});
      return;
    }
    given_.push_back(&tensor);
    const uint32_t number = place_of(tensor).root;
    const tensor::Tensor& whole = *owners_[number];
    if (number >= bound_.given_ && !make_output(number, whole)) {
      fail(TENON_ERROR_NOT_SUPPORTED, kRefusal);
    }
    if (&whole == &tensor) {
      bound_.outputs_.push_back({Kind::kWhole, number});
      return;
    }
    if (tensor.dtype() != whole.dtype()) fail(TENON_ERROR_NOT_SUPPORTED, kRefusal);
    const tensor::Dims sizes = tensor.size_span(), strides = tensor.stride_span();
    bound_.outputs_.push_back({Kind::kView,
                               number,
                               tensor.offset() - whole.offset(),
                               {sizes.begin(), sizes.end()},
                               {strides.begin(), strides.end()},
                               tensor.view_origin(),
                               tensor.base() == nullptr});
  }

  // Makes a node's tensor an output of the run. Returns false if the tensor does not cover all of
  // its memory.
  bool make_output(uint32_t number, const tensor::Tensor& whole) {
    if (!make_own(number)) return bound_.roots_[number].source == Source::kOutput;
    Root& root = bound_.roots_[number];
    if (whole.offset() != 0 || root.bytes > extent_of(whole)) return false;  // shrunk
    root.source = Source::kOutput;
    root.number = static_cast<uint32_t>(bound_.made_.size());
    const tensor::Dims sizes = whole.size_span(), strides = whole.stride_span();
    bound_.made_.push_back(
        {whole.dtype(), {sizes.begin(), sizes.end()}, {strides.begin(), strides.end()}});
    return true;
  }

  BoundPlan& bound_;
  const Graph& graph_;
  uint32_t node_ = 0;  // the node being bound
  std::unordered_map<const tensor::Tensor*, MemoryLocation> places_;
  std::vector<const tensor::Tensor*> owners_;  // by root
  // The root of each storage; kNone if inputs and attributes share the storage.
  std::unordered_map<const tensor::Storage*, uint32_t> owners_by_storage_;
  std::vector<tensor::TensorPtr> made_;       // keeps the addresses in places_ valid
  std::vector<const tensor::Tensor*> given_;  // outputs so far
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
