// SPDX-License-Identifier: Apache-2.0
#include "autograd/formula/function.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "autograd/node/view_node.h"
#include "autograd/operators.h"
#include "autograd/record/grad_mode_guard.h"
#include "autograd/record/lower_call.h"
#include "autograd/record/recording_modes.h"
#include "base/check.h"
#include "base/error.h"
#include "dispatch/alias_notice.h"
#include "dispatch/kernel_guard.h"
#include "dispatch/transform.h"
#include "tensor/layout.h"

namespace tenon::autograd {

namespace {

using tensor::Tensor;
using tensor::TensorPtr;
using tensor::ViewOrigin;

void release_function(void* self) { delete static_cast<Function*>(self); }

// Returns a view of the same layout that shares the tensor's storage, or a detached alias if the
// tensor has no storage or is symbolic.
TensorPtr view_of(Tensor& tensor) {
  if (!tensor.has_storage() || tensor.is_symbolic()) return operators::detached_alias(tensor);
  TensorPtr view =
      tensor::new_alias(tensor, tensor.size_span(), tensor.stride_span(), tensor.offset());
  dispatch::notice_alias(tensor, *view);
  return view;
}

// The outputs of a function call, after forward ran.
class Outputs {
 public:
  // With `needs_node` the call gets a node even if no input is tracked.
  Outputs(FunctionContext& context, std::span<Tensor*> tensors, bool needs_node)
      : context_(context),
        tensors_(tensors),
        is_tracked_(context.is_tracked()),
        flows_(tensors.size()) {
    for (size_t i = 0; i < tensors.size(); ++i) {
      const Tensor* const tensor = tensors[i];
      if (tensor == nullptr || !(is_tracked_ || needs_node)) continue;
      flows_[i] = is_differentiable(tensor->dtype()) && !context.is_non_differentiable(tensor);
      flowing_ += flows_[i];
    }
  }

  void check() const {
    for (Tensor* const tensor : context_.dirty()) {
      TENON_CHECK(std::ranges::find(tensors_, tensor) != tensors_.end(), TENON_ERROR_STATE,
                  context_.name(), ": a tensor marked dirty must be returned by forward, got ",
                  tensor::dtype_name(tensor->dtype()), " of sizes ",
                  tensor::print_dims(tensor->size_span()), " that is not among the outputs");
    }
    for (size_t i = 0; i < tensors_.size(); ++i) {
      if (is_tracked_ && flows_[i] != 0 && is_written(tensors_[i])) check_written(*tensors_[i]);
    }
  }

  // Replaces outputs that are inputs, or that already have a node, with aliases of the same memory.
  void separate() {
    for (size_t i = 0; i < tensors_.size(); ++i) {
      Tensor* const tensor = tensors_[i];
      if (tensor == nullptr || is_written(tensor)) continue;
      TensorPtr fresh;
      if (flows_[i] == 0 && context_.is_non_differentiable(tensor) && requires_grad(*tensor)) {
        fresh = operators::detached_alias(*tensor);
      } else if (context_.is_input(tensor)) {
        fresh = view_of(*tensor);
      } else if (flows_[i] != 0 && (has_node(*tensor) || is_repeated(i))) {
        fresh = operators::detached_alias(*tensor);
      } else {
        continue;
      }
      tensors_[i] = fresh.detach();
      tensor->release();
    }
  }

  // Makes the call's node, or returns NULL if no gradient flows through an output. Links the node
  // to the outputs if an input is tracked.
  NodePtr record() {
    if (flowing_ == 0) return nullptr;
    NodePtr node = context_.make_node({tensors_.data(), tensors_.size()});
    base::SmallVector<int, 4> selves;  // by output: the edge of the input that it is, if written
    for (Tensor* const tensor : tensors_) {
      selves.push_back(is_written(tensor) ? context_.input_of(tensor) : -1);
    }
    context_.fill(*node, {tensors_.data(), tensors_.size()});
    if (!is_tracked_) return node;
    if (const RecordingModes* modes = recording_modes()) finish_recorded(*node, *modes);
    for (uint32_t i = 0; i < tensors_.size(); ++i) {
      if (flows_[i] != 0) link(*node, *tensors_[i], i, selves[i]);
    }
    return node;
  }

 private:
  bool is_written(const Tensor* tensor) const noexcept {
    return tensor != nullptr && context_.is_dirty(tensor) && context_.is_input(tensor);
  }
  bool is_repeated(size_t index) const noexcept {
    const auto before = tensors_.first(index);
    return std::ranges::find(before, tensors_[index]) != before.end();
  }

  void check_written(const Tensor& tensor) const {
    const Tensor* const base = tensor.base();
    TENON_CHECK(!(is_leaf(tensor) && requires_grad(tensor)), TENON_ERROR_STATE, context_.name(),
                ": a tensor marked dirty is a leaf Variable that requires grad, which must not be "
                "used in an in-place operation; use no_grad or detach()");
    if (base == nullptr) return;
    TENON_CHECK(!(is_leaf(*base) && (requires_grad(*base) || requires_grad(tensor))),
                TENON_ERROR_STATE, context_.name(),
                ": a tensor marked dirty is a view of a leaf Variable that requires grad, which "
                "must not be used in an in-place operation; use no_grad or detach()");
    TENON_CHECK(tensor.view_origin() == ViewOrigin::kDefault, TENON_ERROR_STATE, context_.name(),
                ": a tensor marked dirty is a view that ", origin_text(tensor),
                ", which must not be modified inplace in grad mode; ",
                origin_advice(tensor.view_origin()));
    TENON_CHECK(tensors_.size() == 1, TENON_ERROR_STATE, context_.name(),
                ": forward must return a single output if it marks a view as dirty, got ",
                tensors_.size(), " outputs");
  }

  void link(Node& node, Tensor& tensor, uint32_t output, int self) const {
    Tensor* const base = tensor.base();
    if (self >= 0 && base != nullptr) {
      set_node(*base, make_write_node(node, output, self, tensor, *base), 0);
      return;
    }
    set_node(tensor, NodePtr::share(&node), output);
    if (base == nullptr) return;
    // An in-place write to the view would bypass the function's gradient.
    tensor.set_view_origin(flowing_ > 1 ? ViewOrigin::kMultiOutput : ViewOrigin::kFunction);
  }

  FunctionContext& context_;
  const std::span<Tensor*> tensors_;
  const bool is_tracked_;
  base::SmallVector<uint8_t, 8> flows_;  // 1: a gradient flows through the output
  size_t flowing_ = 0;
};

// The result of forward, released unless it is handed to the caller.
struct Result {
  tenon_value value{};
  ~Result() { value::clear(&value); }
};

// Ends the state for forward even if forward fails, because the context may outlive it.
struct ForwardScope {
  FunctionContext& context;
  ~ForwardScope() { context.end_forward(); }
};

// Lifts outputs of a lower level, or of none, to the active layer, where their node and tangent
// belong.
void lift_outputs(FunctionContext& context, std::span<Tensor*> tensors) {
  dispatch::Layer* const layer = dispatch::peek_top_layer();
  const bool is_followed = context.is_tracked() || context.has_jvp();
  if (layer == nullptr || layer->kind().lift == nullptr || !is_followed) return;
  for (Tensor*& tensor : tensors) {
    if (tensor == nullptr || dispatch::level_tensor(*tensor, *layer) != nullptr) continue;
    TensorPtr lifted = layer->kind().lift(*layer, *tensor, nullptr);
    context.replace_saved(tensor, *lifted);
    tensor->release();
    tensor = lifted.detach();
  }
}

// Returns pointers to the tensors in a result; NULL for elements that are not tensors.
base::SmallVector<Tensor**, 8> slots_of(tenon_value* result) {
  base::SmallVector<Tensor**, 8> slots;
  if (result->tag == TENON_TAG_TENSOR) {
    slots.push_back(&result->as.tensor);
  } else if (result->tag == TENON_TAG_TENSOR_LIST) {
    auto** tensors = const_cast<Tensor**>(value::tensors(*result));
    for (uint32_t i = 0; i < result->count; ++i) slots.push_back(&tensors[i]);
  } else if (result->tag == TENON_TAG_TUPLE) {
    auto* elements = static_cast<tenon_value*>(const_cast<void*>(result->as.list.data));
    for (uint32_t i = 0; i < result->count; ++i) {
      const bool is_tensor = elements[i].tag == TENON_TAG_TENSOR;
      slots.push_back(is_tensor ? &elements[i].as.tensor : nullptr);
    }
  }
  return slots;
}

void finish_result(FunctionContext& context, tenon_value* result) {
  const auto slots = slots_of(result);
  base::SmallVector<Tensor*, 8> outputs;
  for (Tensor** const slot : slots) {
    const bool defined = slot != nullptr && *slot != nullptr && !(*slot)->is_undefined();
    outputs.push_back(defined ? *slot : nullptr);
  }
  const auto put_back = [&] {
    for (size_t i = 0; i < slots.size(); ++i) {
      if (outputs[i] != nullptr) *slots[i] = outputs[i];
    }
  };
  try {
    finish_function(context, {outputs.data(), outputs.size()});
  } catch (...) {
    put_back();
    throw;
  }
  put_back();
}

// The call function of Function objects.
tenon_status call_function(void* self, tenon_stack* stack) {
  return dispatch::guard_kernel(stack, [&] {
    const auto& function = *static_cast<const Function*>(self);
    TENON_CHECK_ARG(stack->nrets == 1, function.formula().name(), ": results must be 1, got ",
                    stack->nrets);
    function.apply({stack->args, stack->nargs}, stack->rets);
    return TENON_OK;
  });
}

}  // namespace

Function::Function(std::string name, tenon_forward_fn forward, const Callbacks& callbacks)
    : forward_(forward),
      formula_(base::IntrusivePtr<const CallbackFormula>::adopt(
          new CallbackFormula(std::move(name), callbacks, {}))) {
  type_.struct_size = sizeof type_;
  type_.language = callbacks.language;
  type_.name = formula_->name();
  type_.release = &release_function;
  type_.call = &call_function;
}

value::ObjectPtr Function::make(std::string name, tenon_forward_fn forward,
                                const Callbacks& callbacks) {
  std::unique_ptr<Function> self(new Function(std::move(name), forward, callbacks));
  auto object = value::ObjectPtr::adopt(tenon_object::make(&self->type_, self.get()));
  static_cast<void>(self.release());
  return object;
}

const Function& Function::of(const char* who, const tenon_object* object) {
  TENON_CHECK_TYPE(object != nullptr && object->type()->release == &release_function, who,
                   ": function must be an object from tenon_function_new, got ",
                   object != nullptr ? object->type()->name : "NULL");
  return *static_cast<const Function*>(object->self());
}

void Function::apply(std::span<const tenon_value> args, tenon_value* out_result) const {
  TENON_CHECK_TYPE(forward_ != nullptr, formula_->name(),
                   ": function must have a forward callback to be applied, got one without");
  base::SmallVector<Tensor*, 8> inputs;
  for (const tenon_value& each : args) {
    inputs.push_back(each.tag == TENON_TAG_TENSOR ? each.as.tensor : nullptr);
  }
  const FunctionContextPtr context = begin_function(*formula_, {inputs.data(), inputs.size()});
  const Callbacks& callbacks = formula_->callbacks();
  const ForwardScope end{*context};
  Result result;
  tenon_stack stack{};
  stack.args = const_cast<tenon_value*>(args.data());
  stack.nargs = static_cast<uint32_t>(args.size());
  stack.rets = &result.value;
  stack.nrets = 1;
  {
    const GradModeGuard off(false);
    const auto run = [&](const char* what, tenon_status status) {
      auto error = base::ErrorPtr::adopt(std::exchange(stack.error, nullptr));
      if (status == TENON_OK) return;
      if (error != nullptr) throw Error(std::move(error));
      throw Error(base::adopt_current_error(formula_->name(), what, status, true));
    };
    const bool combined = callbacks.setup == nullptr;
    run("forward", forward_(callbacks.ctx, combined ? context.get() : nullptr, &stack));
    if (!combined) run("setup", callbacks.setup(callbacks.ctx, context.get(), &stack));
  }
  finish_result(*context, &result.value);
  *out_result = std::exchange(result.value, tenon_value{});
}

bool is_recording() noexcept {
  return (base::current_thread()->keep & kAutograd) != 0 && base::grad_mode() == TENON_GRAD_MODE_ON;
}

FunctionContextPtr begin_at_level(const CallbackFormula& formula, std::span<Tensor* const> tensors,
                                  bool records, FunctionJvp::WithoutJvp without_jvp) {
  const dispatch::Layer* layer = dispatch::peek_top_layer();
  std::vector<FunctionInput> inputs;
  inputs.reserve(tensors.size());
  for (Tensor* const tensor : tensors) {
    const bool defined = tensor != nullptr && !tensor->is_undefined();
    inputs.push_back({defined ? tensor : nullptr, {}});
    if (!records || !defined || !tensor->may_be_tracked()) continue;
    Tensor& now = dispatch::unwrap_ended_levels(formula.name(), *tensor);
    // A layer treats tensors from outside it as constants.
    const bool is_of_level = layer == nullptr || dispatch::level_tensor(now, *layer) != nullptr;
    if (is_of_level) inputs.back().flow = gradient_edge(now);
  }
  FunctionContextPtr context = FunctionContext::make(formula, std::move(inputs));
  context->set_jvp(FunctionJvp::begin(formula, tensors, without_jvp));
  return context;
}

FunctionContextPtr begin_function(const CallbackFormula& formula,
                                  std::span<Tensor* const> tensors) {
  const bool records = is_recording();
  std::unique_ptr<LowerCall> lower;
  if (!formula.callbacks().one_level) lower = LowerCall::begin(formula, tensors, records);
  FunctionContextPtr context =
      begin_at_level(formula, tensors, records, FunctionJvp::WithoutJvp::kRefused);
  const bool has_tangents = context->has_jvp() || (lower != nullptr && lower->has_tangents());
  context->set_lower(std::move(lower));
  if (has_tangents) context->pause_tangents();
  return context;
}

namespace {

NodePtr record_outputs(FunctionContext& context, std::span<Tensor*> tensors, bool needs_node) {
  const PauseTangents pause;
  lift_outputs(context, tensors);
  Outputs outputs(context, tensors, needs_node);
  outputs.check();
  outputs.separate();
  return outputs.record();
}

}  // namespace

NodePtr finish_at_level(FunctionContext& context, std::span<Tensor*> tensors) {
  const bool is_tracked = context.is_tracked();
  const bool needs_node = context.has_jvp() && context.jvp().needs_node();
  NodePtr node = record_outputs(context, tensors, needs_node);
  if (const std::unique_ptr<FunctionJvp> jvp = context.take_jvp()) {
    jvp->finish(context, node.get(), tensors);
  }
  return is_tracked ? node : nullptr;
}

NodePtr finish_function(FunctionContext& context, std::span<Tensor*> tensors) {
  const ForwardScope end{context};
  context.end_pause();
  if (const std::unique_ptr<LowerCall> lower = context.take_lower()) {
    lower->finish(context, tensors);
  }
  return finish_at_level(context, tensors);
}

}  // namespace tenon::autograd
