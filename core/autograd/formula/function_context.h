// SPDX-License-Identifier: Apache-2.0
// FunctionContext: one call of a function with a custom gradient, or of an operator whose formula
// looks at each call.
//
// The context is the formula of the call's node, with its own plan. It therefore lives as long as
// the node, which owns the saved values, and code that handles nodes needs no special case for it.
#pragma once

#include <optional>
#include <span>

#include "autograd/formula/callback_formula.h"
#include "autograd/forward/jvp_call.h"
#include "autograd/tensor_state.h"
#include "base/small_vector.h"
#include "value/value.h"

namespace tenon::autograd {

class LowerCall;

using FunctionContext = ::tenon_function_context;

/// An input's tensor (NULL: absent, or not a tensor), and where its gradient flows.
struct FunctionInput {
  tensor::Tensor* tensor = nullptr;
  GradientEdge flow;
};

using FunctionContextPtr = base::IntrusivePtr<FunctionContext>;

}  // namespace tenon::autograd

/// The state of one call.
struct tenon_function_context final : public tenon::autograd::Formula {
 public:
  using CallbackFormula = tenon::autograd::CallbackFormula;
  using Node = tenon::autograd::Node;
  using Plan = tenon::autograd::Plan;
  using Tensor = tenon::tensor::Tensor;

  /// Returns a context for a call of `formula`. Gradients flow to the inputs whose `flow` has a
  /// node.
  static tenon::autograd::FunctionContextPtr make(
      const CallbackFormula& formula, std::vector<tenon::autograd::FunctionInput> inputs);
  ~tenon_function_context() override;

  const CallbackFormula& owner() const noexcept { return *owner_; }
  const Plan& plan() const noexcept { return plan_; }
  const tenon_function_context* context() const noexcept override { return this; }
  bool is_tracked() const noexcept;
  bool needs_grad(size_t input) const noexcept;
  size_t input_count() const noexcept;
  /// Returns the number of outputs of the call's node or, before the call is recorded, the number
  /// that set_output_count() set (0 until then).
  size_t output_count() const noexcept;
  void set_output_count(size_t count) noexcept { outputs_ = count; }

  /// See tenon_function_context_save and the functions that follow it. save() and the marks throw
  /// TENON_ERROR_STATE once the call is recorded.
  void save(std::span<const tenon_value> values);
  size_t saved_count() const noexcept { return saved_.size(); }
  tenon_value copy_saved(size_t index) const;
  void drop_saved() noexcept;
  void mark_dirty(Tensor* tensor);
  void mark_non_differentiable(Tensor* tensor);
  void set_materialize_grads(bool materialize) noexcept;
  void set_once_differentiable() noexcept {
    once_differentiable_.store(true, std::memory_order_relaxed);
  }
  void set_state(void* state, tenon_deleter deleter) noexcept;
  /// Returns the state that set_state() stored. At a lower level of nested transforms, this is the
  /// state of the innermost level.
  void* state() const noexcept {
    return state_ != nullptr || above_ == nullptr ? state_ : above_->state();
  }

  /// Store and return the forward-mode part of the call, if an input has a tangent. It is set
  /// before forward runs and taken after it.
  void set_jvp(std::unique_ptr<tenon::autograd::FunctionJvp> jvp) noexcept {
    jvp_ = std::move(jvp);
  }
  std::unique_ptr<tenon::autograd::FunctionJvp> take_jvp() noexcept { return std::move(jvp_); }
  bool has_jvp() const noexcept { return jvp_ != nullptr; }
  const tenon::autograd::FunctionJvp& jvp() const noexcept { return *jvp_; }
  /// Stops the thread from following tangents until end_pause(), so that forward computes with
  /// plain tensors.
  void pause_tangents() { pause_.emplace(); }
  void end_pause() noexcept { pause_.reset(); }
  /// Ends the state that was set up for forward. Also called if forward fails.
  void end_forward() noexcept;

  /// Store and return the call at lower levels, which is set before forward runs and taken after
  /// it.
  void set_lower(std::unique_ptr<tenon::autograd::LowerCall> lower) noexcept;
  std::unique_ptr<tenon::autograd::LowerCall> take_lower() noexcept;
  /// Copies what forward stored in the context of the level above; `below` maps a tensor of that
  /// level to the tensor under it.
  template <class Below>
  void follow(tenon_function_context& above, Below&& below);
  /// Replaces an output of forward by `fresh` in the saved and marked tensors.
  void replace_saved(const Tensor* output, Tensor& fresh) noexcept;

  bool is_input(const Tensor* tensor) const noexcept { return input_of(tensor) >= 0; }
  /// Returns the index of the first input that is this tensor, or -1.
  int input_of(const Tensor* tensor) const noexcept;
  bool is_dirty(const Tensor* tensor) const noexcept;
  bool is_non_differentiable(const Tensor* tensor) const noexcept;
  std::span<Tensor* const> dirty() const noexcept { return {dirty_.data(), dirty_.size()}; }

  /// Returns a node for the call, with its edges and room for the saved values. Throws
  /// TENON_ERROR_OUT_OF_MEMORY.
  tenon::autograd::NodePtr make_node(std::span<const Tensor* const> outputs);
  /// Moves the saved values into the node, which records the call. A saved result is stored as its
  /// index in the outputs, because a reference to it would make a reference cycle with the node.
  void fill(Node& node, std::span<Tensor* const> results);

  void run(const Plan& plan, tenon_backward_call* call) const override;

 private:
  using Save = tenon::autograd::Save;

  explicit tenon_function_context(const CallbackFormula& formula);
  std::unique_ptr<Plan> make_plan(const tenon::schema::Schema& schema) const override;
  void check_open(const char* function) const;
  void follow_marks(const tenon_function_context& above);

  tenon::base::IntrusivePtr<const CallbackFormula> owner_;
  Plan plan_;
  // the tensors are valid until the call is recorded
  std::vector<tenon::autograd::FunctionInput> inputs_;
  // owned until the call is recorded, then tags only
  tenon::base::SmallVector<tenon_value, 4> saved_;
  // valid until the call is recorded, like the next field
  tenon::base::SmallVector<Tensor*, 2> dirty_;
  tenon::base::SmallVector<Tensor*, 2> non_differentiable_;
  std::unique_ptr<tenon::autograd::FunctionJvp> jvp_;
  std::unique_ptr<tenon::autograd::LowerCall> lower_;
  std::optional<tenon::autograd::PauseTangents> pause_;
  // At a lower level, the context of the level above, which owns the state.
  tenon::base::IntrusivePtr<const tenon_function_context> above_;
  size_t outputs_ = 0;
  Node* node_ = nullptr;  // owns this context
  std::atomic<bool> once_differentiable_{false};
  void* state_ = nullptr;
  tenon_deleter drop_state_ = nullptr;
};

template <class Below>
void tenon_function_context::follow(tenon_function_context& above, Below&& below) {
  follow_marks(above);
  tenon::base::SmallVector<tenon_value, 4> values;
  std::vector<tenon::value::OwnedValue> lists;
  for (const tenon_value& each : above.saved_) {
    values.push_back(each);
    values.back().flags &= TENON_VALUE_HAS_SYMBOLIC;
    if (each.tag == TENON_TAG_TENSOR) values.back().as.tensor = below(each.as.tensor);
    if (each.tag != TENON_TAG_TENSOR_LIST) continue;
    std::vector<Tensor*> tensors;
    for (uint32_t i = 0; i < each.count; ++i) {
      tensors.push_back(below(tenon::value::tensors(each)[i]));
    }
    lists.emplace_back(tenon::value::new_list(TENON_TAG_TENSOR_LIST, tensors.data(),
                                              static_cast<int64_t>(tensors.size())));
    values.back() = lists.back().get();
    values.back().flags = 0;
  }
  save({values.data(), values.size()});
  for (Tensor* const tensor : above.dirty_) dirty_.push_back(below(tensor));
  for (Tensor* const tensor : above.non_differentiable_) {
    non_differentiable_.push_back(below(tensor));
  }
}
