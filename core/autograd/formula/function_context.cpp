// SPDX-License-Identifier: Apache-2.0
#include "autograd/formula/function_context.h"

#include <algorithm>

#include "autograd/node/node_run.h"
#include "autograd/node/saved_value.h"
#include "autograd/operators.h"
#include "autograd/record/lower_call.h"
#include "base/check.h"
#include "base/error.h"
#include "base/thread.h"

using namespace tenon::autograd;
namespace base = tenon::base;
namespace value = tenon::value;
using tenon::Error;
using tenon::tensor::TensorPtr;

namespace {

// The formula of nodes behind gradients that must not be differentiated again. It always throws.
class DerivedOnce final : public Formula {
 public:
  DerivedOnce() {
    set_name("DerivedOnce");
    plan_.formula = this;
  }
  const Plan& plan() const noexcept { return plan_; }
  void run(const Plan&, tenon_backward_call* call) const override {
    static_cast<void>(call);
    tenon::fail(
        TENON_ERROR_STATE,
        "trying to differentiate twice a function that was marked with once_differentiable");
  }

 private:
  std::unique_ptr<Plan> make_plan(const tenon::schema::Schema&) const override { return nullptr; }
  Plan plan_;
};

// Gives each gradient a node that refuses to run, and that leads to the nodes that the call's
// gradients flow to.
void refuse_derivatives(Node& node, tenon_backward_call* call) {
  const auto edges = node.edges();
  for (int64_t i = 0; i < call->ninputs; ++i) {
    if (call->out_grads[i] == nullptr) continue;
    const auto grad = TensorPtr::adopt(call->out_grads[i]);
    TensorPtr alias = operators::detached_alias(*grad);
    call->out_grads[i] = nullptr;
    const tenon_tensor* output = alias.get();
    NodePtr refuses = Node::make(immortal<DerivedOnce>().plan(),
                                 {static_cast<uint32_t>(edges.size()), 0, 0}, {&output, 1});
    for (uint32_t k = 0; k < edges.size(); ++k) {
      if (edges[k].node == nullptr) continue;
      refuses->set_edge(k, NodePtr::share(edges[k].node), edges[k].output);
    }
    set_node(*alias, std::move(refuses), 0);
    call->out_grads[i] = alias.detach();
  }
}

bool contains(std::span<tenon_tensor* const> tensors, const tenon_tensor* tensor) noexcept {
  return std::ranges::find(tensors, tensor) != tensors.end();
}

void clear(base::SmallVector<tenon_value, 4>* values) noexcept {
  for (tenon_value& each : *values) value::clear(&each);
}

bool is_present(const tenon_value& value) noexcept {
  return value.tag == TENON_TAG_TENSOR && !value.as.tensor->is_undefined();
}

}  // namespace

tenon_function_context::tenon_function_context(const CallbackFormula& formula)
    : owner_(base::IntrusivePtr<const CallbackFormula>::share(&formula)) {
  set_name(formula.name());
  set_missing_gradients(MissingGradients::kZeros);
  plan_.formula = this;
}

FunctionContextPtr tenon_function_context::make(const CallbackFormula& formula,
                                                std::vector<FunctionInput> inputs) {
  auto context = FunctionContextPtr::adopt(new tenon_function_context(formula));
  context->inputs_ = std::move(inputs);
  return context;
}

tenon_function_context::~tenon_function_context() {
  if (node_ == nullptr) clear(&saved_);
  set_state(nullptr, nullptr);
}

std::unique_ptr<Plan> tenon_function_context::make_plan(const tenon::schema::Schema&) const {
  return nullptr;
}

bool tenon_function_context::is_tracked() const noexcept {
  return std::ranges::any_of(inputs_,
                             [](const FunctionInput& input) { return input.flow.node != nullptr; });
}

bool tenon_function_context::needs_grad(size_t input) const noexcept {
  if (node_ != nullptr) {
    return input < node_->edges().size() && node_->edges()[input].node != nullptr;
  }
  if (input >= inputs_.size()) return false;
  return inputs_[input].flow.node != nullptr || (lower_ != nullptr && lower_->needs_grad(input));
}

void tenon_function_context::set_lower(std::unique_ptr<LowerCall> lower) noexcept {
  lower_ = std::move(lower);
}

std::unique_ptr<LowerCall> tenon_function_context::take_lower() noexcept {
  return std::move(lower_);
}

void tenon_function_context::end_forward() noexcept {
  jvp_.reset();
  lower_.reset();
  pause_.reset();
}

void tenon_function_context::follow_marks(const tenon_function_context& above) {
  set_missing_gradients(above.absent());
  if (above.once_differentiable_.load(std::memory_order_relaxed)) set_once_differentiable();
  above_ = base::IntrusivePtr<const tenon_function_context>::share(&above);
}

void tenon_function_context::replace_saved(const Tensor* output, Tensor& fresh) noexcept {
  if (is_input(output)) return;
  for (tenon_value& each : saved_) {
    if (each.tag != TENON_TAG_TENSOR || each.as.tensor != output) continue;
    fresh.retain();
    value::clear(&each);
    each = tenon_value_give(tenon_value_of_tensor(&fresh));
  }
  for (Tensor*& each : non_differentiable_) {
    if (each == output) each = &fresh;
  }
}

size_t tenon_function_context::input_count() const noexcept {
  return node_ != nullptr ? node_->edges().size() : inputs_.size();
}

size_t tenon_function_context::output_count() const noexcept {
  return node_ != nullptr ? node_->output_count() : outputs_;
}

void tenon_function_context::check_open(const char* function) const {
  TENON_CHECK(
      node_ == nullptr, TENON_ERROR_STATE, function, ": context of ", name(),
      " must be used inside forward or setup_context, got one whose call has been recorded");
}

void tenon_function_context::save(std::span<const tenon_value> values) {
  check_open("tenon_function_context_save");
  base::SmallVector<tenon_value, 4> copies;
  try {
    for (const tenon_value& each : values) copies.push_back(value::copy(each));
  } catch (...) {
    clear(&copies);
    throw;
  }
  clear(&saved_);
  saved_ = std::move(copies);
}

void tenon_function_context::mark_dirty(Tensor* tensor) {
  check_open("tenon_function_context_mark_dirty");
  if (!is_dirty(tensor)) dirty_.push_back(tensor);
}

void tenon_function_context::mark_non_differentiable(Tensor* tensor) {
  check_open("tenon_function_context_mark_non_differentiable");
  non_differentiable_.push_back(tensor);
}

void tenon_function_context::set_materialize_grads(bool materialize) noexcept {
  set_missing_gradients(materialize ? MissingGradients::kZeros : MissingGradients::kNothing);
}

void tenon_function_context::set_state(void* state, tenon_deleter deleter) noexcept {
  void* const old = std::exchange(state_, state);
  const tenon_deleter drop = std::exchange(drop_state_, deleter);
  if (drop != nullptr) drop(old);
}

int tenon_function_context::input_of(const Tensor* tensor) const noexcept {
  const auto found = std::ranges::find(inputs_, tensor, &FunctionInput::tensor);
  return found != inputs_.end() ? static_cast<int>(found - inputs_.begin()) : -1;
}

bool tenon_function_context::is_dirty(const Tensor* tensor) const noexcept {
  return contains(dirty(), tensor);
}

bool tenon_function_context::is_non_differentiable(const Tensor* tensor) const noexcept {
  return contains({non_differentiable_.data(), non_differentiable_.size()}, tensor);
}

NodePtr tenon_function_context::make_node(std::span<const Tensor* const> outputs) {
  NodeShape shape;
  shape.edges = static_cast<uint32_t>(inputs_.size());
  for (const tenon_value& each : saved_) {
    const bool is_tensor = each.tag == TENON_TAG_TENSOR;
    if (is_present(each) && each.as.tensor->is_inference()) {
      refuse_inference(name(), *each.as.tensor);
    }
    ++(is_tensor ? shape.saved_tensors : shape.saved_values);
    plan_.saves_lists = plan_.saves_lists || each.tag == TENON_TAG_TENSOR_LIST;
    if (owner_->callbacks().saved_on_demand) continue;
    Save save;
    save.is_tensor = is_tensor;
    plan_.saves.push_back(save);
  }
  if (plan_.saves_lists) ++shape.saved_values;
  NodePtr node = Node::make(plan_, shape, outputs);
  for (uint32_t i = 0; i < inputs_.size(); ++i) {
    const GradientEdge& flow = inputs_[i].flow;
    if (flow.node != nullptr) node->set_edge(i, flow.node, flow.output);
  }
  return node;
}

void tenon_function_context::fill(Node& node, std::span<Tensor* const> results) {
  size_t tensors = 0;
  size_t values = 0;
  for (tenon_value& each : saved_) {
    if (each.tag != TENON_TAG_TENSOR) {
      node.saved_values()[values++] = each;
      each.flags = 0;
      continue;
    }
    tenon::autograd::SavedTensor& slot = node.saved_tensors()[tensors++];
    if (!is_present(each)) continue;
    Tensor* const tensor = each.as.tensor;
    const auto result = std::ranges::find(results, tensor);
    slot.version = static_cast<uint32_t>(tensor->version());
    if (result != results.end()) {
      slot.tensor = operators::detached_alias(*tensor).detach();
      slot.result = static_cast<uint16_t>(result - results.begin());
      if (is_non_differentiable(tensor) || !is_differentiable(tensor->dtype())) {
        slot.result = tenon::autograd::SavedTensor::kNone;
      }
      tensor->release();
    } else {
      slot.tensor = tensor;  // takes over the saved value's reference
      if (is_input(tensor)) slot.edge = static_cast<uint16_t>(input_of(tensor));
    }
    each.flags = 0;
  }
  if (plan_.saves_lists) note_versions_of_lists(node);
  node_ = &node;
  inputs_.clear();
  dirty_.resize(0);
  non_differentiable_.resize(0);
}

tenon_value tenon_function_context::copy_saved(size_t index) const {
  constexpr const char* kFunction = "tenon_function_context_copy_saved";
  TENON_CHECK_INDEX(index < saved_.size(), kFunction, ": index must be below ", saved_.size(),
                    ", got ", index);
  if (node_ == nullptr) return value::copy(saved_[index]);
  const SavedValuesGuard reading(*node_);
  size_t before = 0;  // index among the saved values of the same kind
  const bool is_tensor = saved_[index].tag == TENON_TAG_TENSOR;
  for (size_t i = 0; i < index; ++i) before += (saved_[i].tag == TENON_TAG_TENSOR) == is_tensor;
  const bool linked = base::grad_mode() == TENON_GRAD_MODE_ON;
  if (!is_tensor) return copy_saved_value(*node_, before, linked);
  TensorPtr tensor = unpack(*node_, node_->saved_tensors()[before], linked);
  if (tensor == nullptr) return tenon_value_of_none();
  return tenon_value_give(tenon_value_of_tensor(tensor.detach()));
}

void tenon_function_context::drop_saved() noexcept {
  if (node_ == nullptr) {
    clear(&saved_);
  } else if (node_->begin_read()) {
    node_->end_read(true);
  }
}

void tenon_function_context::run(const Plan& plan, tenon_backward_call* call) const {
  call->context = const_cast<tenon_function_context*>(this);
  owner_->run(plan, call);
  const bool once = owner_->callbacks().once_differentiable ||
                    once_differentiable_.load(std::memory_order_relaxed);
  if (once && base::grad_mode() == TENON_GRAD_MODE_ON) refuse_derivatives(*node_, call);
}
