// SPDX-License-Identifier: Apache-2.0
#include "autograd/record/record.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "autograd/formula/function_context.h"
#include "autograd/forward/forward_call.h"
#include "autograd/node/saved_value.h"
#include "autograd/node/view_node.h"
#include "autograd/operators.h"
#include "autograd/record/call_below.h"
#include "autograd/record/quick_record.h"
#include "autograd/record/recording_modes.h"
#include "autograd/tensor_state.h"
#include "base/check.h"
#include "base/small_vector.h"
#include "dispatch/kernel_guard.h"
#include "dispatch/key_tls.h"
#include "dispatch/multi_output_view.h"
#include "value/value.h"

namespace tenon::autograd {

namespace {

using tensor::Tensor;
using tensor::TensorPtr;

// An input's tensor, and where its gradient flows.
struct RecordedInput {
  Tensor* tensor;
  GradientEdge edge;
};

// One recorded call.
class Recording {
 public:
  Recording(const Plan& plan, const tenon_op& op, tenon_stack* stack)
      : plan_(plan), op_(op), stack_(*stack) {
    inputs_.reserve(plan.inputs.size());
    for (size_t i = 0; i < plan.inputs.size(); ++i) {
      const bool wanted = (plan.wanted >> i & 1) != 0;
      const tenon_value& value = stack->args[plan.inputs[i].position];
      if (!plan.inputs[i].is_list) {
        add_input(value.tag == TENON_TAG_TENSOR ? value.as.tensor : nullptr, wanted, i);
      } else if (value.tag == TENON_TAG_TENSOR_LIST) {
        for (uint32_t k = 0; k < value.count; ++k) add_input(value::tensors(value)[k], wanted, i);
      } else {
        TENON_CHECK_TYPE(value.tag == TENON_TAG_NONE, op.name(), ": argument ",
                         plan.inputs[i].position, " must be a list of tensors");
      }
    }
  }

  /// Returns true if a gradient flows to some input.
  bool is_tracked() const noexcept { return tracked_; }
  /// Makes the node save what the gradients of these inputs need (bit mask), even if none flows
  /// there.
  void need(uint64_t inputs) noexcept { needed_ |= inputs; }

  /// Copies values that the kernel may overwrite. Call before the kernel runs.
  void prepare() {
    if (tracked_) check_written();
    note_shape();
    const auto guard = dispatch::KeyGuard::exclude(kAutograd);
    for (const Save& save : plan_.saves) {
      if (save.of_result || (save.needed_by & needed_) == 0) continue;
      const auto& argument = plan_.schema->arguments()[save.position];
      const Tensor* before = defined_tensor(stack_.args[save.position]);
      if (before == nullptr || !argument.is_written()) continue;
      if (save.what == Attribute::kWhole) {
        copies_.push_back({save.position, operators::clone(*before).detach()});
      } else {
        attributes_.emplace_back(&save, value::OwnedValue(saved_value(save, stack_)));
      }
    }
    for (const RecordedInput& given : inputs_) {
      versions_.push_back(given.tensor != nullptr ? static_cast<uint32_t>(given.tensor->version())
                                                  : 0);
    }
  }

  ~Recording() {
    for (const Copy& copy : copies_) copy.tensor->release();
  }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  /// Records the call after its kernel has returned. Returns its node, or NULL if none is needed.
  /// Links the node to the results if a gradient flows to some input.
  NodePtr finish() {
    dispatch::mark_multi_output_views(*plan_.schema, stack_);
    collect_results();
    if (needed_ == 0) return {};
    const FunctionContextPtr context = set_up();
    base::SmallVector<const Tensor*, 4> outputs;
    bool any = false;
    for (const CallResult& result : results_) {
      const bool flows = result.tensor != nullptr && is_differentiable(result.tensor->dtype()) &&
                         !(context != nullptr && context->is_non_differentiable(result.tensor));
      outputs.push_back(flows ? result.tensor : nullptr);
      any = any || flows;
    }
    if (!any) return {};
    NodePtr node = context != nullptr ? make_node(*context) : make_node(outputs);
    if (!tracked_) return node;
    if (const RecordingModes* modes = recording_modes()) finish_recorded(*node, *modes);
    for (uint32_t i = 0; i < results_.size(); ++i) {
      if (outputs[i] != nullptr) link(*node, results_[i], i);
    }
    return node;
  }
  std::span<const CallResult> results() const noexcept { return results_; }

 private:
  struct Copy {
    uint16_t position;
    Tensor* tensor;
  };

  NodePtr make_node(std::span<const Tensor* const> outputs) {
    NodeShape shape = plan_.shape;
    shape.edges = static_cast<uint32_t>(inputs_.size());
    NodePtr node = Node::make(plan_, shape, outputs);
    for (uint32_t i = 0; i < inputs_.size(); ++i) {
      const GradientEdge& edge = inputs_[i].edge;
      if (edge.node != nullptr) node->set_edge(i, edge.node, edge.output);
    }
    save(*node);
    return node;
  }

  // Makes the node of a formula that looks at each call. It receives zeros for results without a
  // gradient.
  NodePtr make_node(FunctionContext& context) const {
    base::SmallVector<Tensor*, 4> results;
    for (const CallResult& result : results_) results.push_back(result.tensor);
    NodePtr node = context.make_node({results.data(), results.size()});
    context.fill(*node, {results.data(), results.size()});
    return node;
  }

  FunctionContextPtr set_up() const {
    if (!plan_.formula->looks_at_calls()) return nullptr;
    std::vector<FunctionInput> inputs;
    for (const RecordedInput& given : inputs_) inputs.push_back({given.tensor, given.edge});
    return plan_.formula->set_up(stack_, inputs);
  }

  void add_input(Tensor* tensor, bool wanted, size_t input) {
    RecordedInput given{tensor, {}};
    if (tensor != nullptr && wanted && records_ && tensor->may_be_tracked()) {
      given.edge = gradient_edge(*tensor);
    }
    if (given.edge.node != nullptr) {
      tracked_ = true;
      needed_ |= uint64_t{1} << input;
    }
    inputs_.push_back(std::move(given));
  }

  // Stores the layout of a written view, so that is_reshaped() recognizes operators such as t_,
  // which restride the view in place without writing any element.
  void note_shape() {
    const auto& arguments = plan_.schema->arguments();
    for (size_t i = 0; i < arguments.size(); ++i) {
      const Tensor* written = arguments[i].is_written() ? defined_tensor(stack_.args[i]) : nullptr;
      if (written == nullptr || written->base() == nullptr) continue;
      viewed_ = written;
      shape_.assign(shape_of(*written));
      return;
    }
  }
  bool is_reshaped(const Tensor& tensor) const {
    return &tensor == viewed_ &&
           !std::ranges::equal(shape_of(tensor), std::span<const int64_t>(shape_));
  }
  static std::span<const int64_t> shape_of(const Tensor& tensor) {
    return {tensor.sizes(), 2 * static_cast<size_t>(tensor.ndim())};  // and strides
  }

  // A write through a view is recorded on its base. The view's own node becomes stale and is
  // rebuilt when it is next needed.
  void link(Node& node, const CallResult& result, uint32_t output) {
    Tensor* base = result.tensor->base();
    if (result.written && base != nullptr && !is_reshaped(*result.tensor)) {
      set_node(*base, make_write_node(node, output, edge_of(result.tensor), *result.tensor, *base),
               0);
    } else {
      set_node(*result.tensor, NodePtr::share(&node), output);
    }
  }

  int edge_of(const Tensor* tensor) const {
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (inputs_[i].tensor == tensor) return static_cast<int>(i);
    }
    return -1;
  }

  void check_written() const {
    const auto& arguments = plan_.schema->arguments();
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (!arguments[i].is_written()) continue;
      TENON_CHECK(!arguments[i].is_out(), TENON_ERROR_STATE, op_.name(), ": ",
                  arguments[i].name.view(),
                  " must not be given, as an argument requires grad: functions with out=... "
                  "arguments don't support automatic differentiation");
      const Tensor* written = defined_tensor(stack_.args[i]);
      if (written == nullptr) continue;
      const Tensor* base = written->base();
      TENON_CHECK(!written->is_inference(), TENON_ERROR_STATE, op_.name(), ": ",
                  arguments[i].name.view(),
                  " is an inference tensor, which must not be modified inplace by a call that "
                  "requires grad; clone() it outside of inference mode first");
      TENON_CHECK(!(is_leaf(*written) && requires_grad(*written)), TENON_ERROR_STATE, op_.name(),
                  ": ", arguments[i].name.view(),
                  " is a leaf Variable that requires grad, which must not be used in an in-place "
                  "operation; use no_grad or detach()");
      if (base != nullptr) check_written_view(arguments[i].name.view(), *written, *base);
      TENON_CHECK(is_differentiable(written->dtype()), TENON_ERROR_TYPE, op_.name(), ": ",
                  arguments[i].name.view(),
                  " must be floating point or complex to be modified inplace by a call that "
                  "requires grad, got ",
                  tensor::dtype_name(written->dtype()));
    }
  }

  void check_written_view(std::string_view name, const Tensor& view, const Tensor& base) const {
    TENON_CHECK(view.view_origin() == tensor::ViewOrigin::kDefault, TENON_ERROR_STATE, op_.name(),
                ": ", name, " is a view that ", origin_text(view),
                ", which must not be modified inplace in grad mode; ",
                origin_advice(view.view_origin()));
    // Even if the base does not require grad, this view may come from another view that does.
    TENON_CHECK(!(is_leaf(base) && (requires_grad(base) || requires_grad(view))), TENON_ERROR_STATE,
                op_.name(), ": ", name,
                " is a view of a leaf Variable that requires grad, which must not be used in an "
                "in-place operation; use no_grad or detach()");
    check_view_dtypes(view, base);
  }

  void collect_results() {
    const auto& returns = plan_.schema->returns();
    for (uint32_t i = 0; i < stack_.nrets; ++i) {
      tenon_value& value = stack_.rets[i];
      const bool written = i < returns.size() && returns[i].is_written();
      if (value.tag == TENON_TAG_TENSOR) {
        add_result(&value.as.tensor, written);
      } else if (value.tag == TENON_TAG_TENSOR_LIST) {
        auto** tensors = const_cast<Tensor**>(value::tensors(value));
        for (uint32_t k = 0; k < value.count; ++k) add_result(&tensors[k], written);
      }
    }
    // Written arguments are results even if they are not returned.
    const auto& arguments = plan_.schema->arguments();
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (!arguments[i].is_written() || stack_.args[i].tag != TENON_TAG_TENSOR) continue;
      const auto is_it = [&](const CallResult& one) {
        return one.tensor == stack_.args[i].as.tensor;
      };
      if (std::ranges::none_of(results_, is_it)) add_result(&stack_.args[i].as.tensor, true);
    }
  }

  void add_result(Tensor** slot, bool written) {
    Tensor* tensor = *slot;
    if (tensor == nullptr || tensor->is_undefined()) {
      results_.push_back({nullptr, slot, written});
      return;
    }
    // If the kernel returned an argument or a tensor that already has a node, return an alias
    // instead. Relinking the tensor would lose its old node, and an input that led to itself would
    // make a reference cycle.
    if (!written && (is_input(tensor) || has_node(*tensor))) {
      Tensor* alias = operators::detached_alias(*tensor).detach();
      tensor->release();
      *slot = tensor = alias;
    }
    results_.push_back({tensor, slot, written});
  }

  bool is_input(const Tensor* tensor) const {
    return std::ranges::any_of(inputs_,
                               [&](const RecordedInput& given) { return given.tensor == tensor; });
  }

  // Returns the index in inputs_ of the argument at a position; for a list, of its first element.
  size_t input_at(uint16_t position) const {
    size_t number = 0;
    for (const Input& input : plan_.inputs) {
      if (input.position == position) break;
      number += input.is_list ? stack_.args[input.position].count : 1;
    }
    TENON_DCHECK(number < inputs_.size());
    return number;
  }

  void save(Node& node) {
    size_t tensors = 0;
    size_t values = 0;
    for (const Save& save : plan_.saves) {
      const bool is_needed = (save.needed_by & needed_) != 0;
      if (save.is_tensor) {
        SavedTensor& slot = node.saved_tensors()[tensors++];
        if (!is_needed) continue;
        if (save.of_result) {
          save_result(save.position, &slot);
        } else {
          save_argument(save.position, &slot);
        }
      } else {
        tenon_value& slot = node.saved_values()[values++];
        if (is_needed) slot = take_attribute(save);
      }
    }
    if (plan_.saves_lists) note_versions_of_lists(node);
  }

  // Returns an attribute such as sizes; for written arguments, its value before the call.
  tenon_value take_attribute(const Save& save) {
    for (auto& [before, attribute] : attributes_) {
      if (before == &save) return attribute.release();
    }
    return saved_value(save, stack_);
  }

  void save_argument(uint16_t position, SavedTensor* slot) const {
    const Tensor* tensor = defined_tensor(stack_.args[position]);
    if (tensor == nullptr) return;
    if (tensor->is_inference()) refuse_inference(plan_.formula->name(), *tensor);
    const size_t number = input_at(position);
    slot->edge = static_cast<uint16_t>(number);
    for (const Copy& copy : copies_) {
      if (copy.position != position) continue;
      copy.tensor->retain();
      slot->tensor = copy.tensor;
      slot->version = static_cast<uint32_t>(copy.tensor->version());
      return;
    }
    // If the argument is also a result, save a detached alias: saving the result itself would make
    // a reference cycle with its node.
    const bool is_result = std::ranges::any_of(
        results_, [&](const CallResult& result) { return result.tensor == tensor; });
    TensorPtr kept = is_result ? operators::detached_alias(*tensor)
                               : TensorPtr::share(const_cast<Tensor*>(tensor));
    slot->tensor = kept.detach();
    slot->version = versions_[number];
  }

  void save_result(uint16_t position, SavedTensor* slot) const {
    const Tensor* tensor = defined_tensor(stack_.rets[position]);
    if (tensor == nullptr) return;
    const auto found = std::ranges::find(results_, tensor, &CallResult::tensor);
    slot->tensor = operators::detached_alias(*tensor).detach();
    slot->version = static_cast<uint32_t>(tensor->version());
    // Results without a gradient, e.g. indices, stay outside the graph.
    if (is_differentiable(tensor->dtype())) {
      slot->result = static_cast<uint16_t>(found - results_.begin());
    }
  }

  const Plan& plan_;
  const tenon_op& op_;
  tenon_stack& stack_;
  const bool records_ = base::grad_mode() == TENON_GRAD_MODE_ON;
  bool tracked_ = false;
  uint64_t needed_ = 0;  // bit i: the gradient of input i is needed
  std::vector<RecordedInput> inputs_;
  base::SmallVector<uint32_t, 6> versions_;  // versions of the inputs before the kernel ran
  base::SmallVector<Copy, 2> copies_;
  // old attributes of written arguments
  std::vector<std::pair<const Save*, value::OwnedValue>> attributes_;
  const Tensor* viewed_ = nullptr;        // the view that the kernel writes
  base::SmallVector<int64_t, 10> shape_;  // sizes and strides of viewed_ before the kernel ran
  base::SmallVector<CallResult, 4> results_;
};

tenon_status record_call(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  return dispatch::guard_kernel(stack, [&] {
    const Plan& plan = static_cast<const Formula*>(ctx)->plan_for(*op, *stack);
    const bool is_quick = plan.is_quick && DualLevel::current() == nullptr;
    if (is_quick) return record_quickly(plan, op, keys, stack);
    return record_with(plan, op, keys, stack);
  });
}

}  // namespace

tenon_status record_with(const Plan& plan, const tenon_op* op, tenon_keyset keys,
                         tenon_stack* stack) {
  Recording recording(plan, *op, stack);
  const std::unique_ptr<ForwardCall> forward = ForwardCall::start(plan, *op, stack);
  if (!recording.is_tracked() && forward == nullptr) {
    return dispatch::redispatch(op, keys & (kAutograd - 1), stack);
  }
  if (forward != nullptr) recording.need(forward->prepare());
  recording.prepare();
  // ADInplaceOrView would do this, but is excluded below.
  if (plan.schema->is_mutable()) dispatch::bump_written(op, stack->args, stack->nargs);
  const tenon_status status = call_below(op, keys, stack);
  if (status != TENON_OK) return status;
  const NodePtr node = recording.finish();
  if (forward != nullptr) forward->finish(node.get(), recording.results());
  return TENON_OK;
}

dispatch::RegistrationPtr register_formula(dispatch::Library* library, std::string_view name,
                                           std::unique_ptr<Formula> formula,
                                           const FormulaOptions& options) {
  tenon_kernel description{};
  description.struct_size = sizeof description;
  description.flags = TENON_KERNEL_WHEN_TRACKED;
  description.boxed = &record_call;
  description.ctx = formula.get();
  description.deleter = [](void* ctx) { delete static_cast<Formula*>(ctx); };
  description.language = options.language;
  description.policy = options.policy;
  description.name = options.name != nullptr ? options.name : formula->name();
  description.file = options.file;
  description.line = options.line;
  Formula& made = *formula.release();
  dispatch::KernelPtr kernel = dispatch::make_kernel(description);
  made.set_home(&kernel->retired);
  kernel->passes_on = !made.looks_at_calls();
  return dispatch::implement(library, name, TENON_KEY_AUTOGRAD, std::move(kernel));
}

}  // namespace tenon::autograd
