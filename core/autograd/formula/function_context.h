// SPDX-License-Identifier: Apache-2.0
// FunctionContext: one call of a function with a gradient of its own, or of an operator whose
// formula looks at each call.
//
// It stands for the formula in the call's node, with a plan of its own: so it lives as long as the
// node, which has the saved values, and everything that knows nodes knows it.
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

/// An input's tensor (NULL: none, or no tensor), and where its gradient goes.
struct FunctionInput {
  tensor::Tensor* tensor = nullptr;
  Flow flow;
};

using FunctionContextPtr = base::IntrusivePtr<FunctionContext>;

}  // namespace tenon::autograd

/// A context.
struct tenon_function_context final : public tenon::autograd::Formula {
 public:
  using CallbackFormula = tenon::autograd::CallbackFormula;
  using Node = tenon::autograd::Node;
  using Plan = tenon::autograd::Plan;
  using Tensor = tenon::tensor::Tensor;

  /// Of a call of what the formula has the callbacks of. Gradients flow to inputs that have a flow.
  static tenon::autograd::FunctionContextPtr make(
      const CallbackFormula& formula, std::vector<tenon::autograd::FunctionInput> inputs);
  ~tenon_function_context() override;

  const CallbackFormula& owner() const noexcept { return *owner_; }
  const Plan& plan() const noexcept { return plan_; }
  const tenon_function_context* context() const noexcept override { return this; }
  bool is_tracked() const noexcept;
  bool needs_grad(size_t input) const noexcept;
  size_t input_count() const noexcept;
  /// 0 before set_output_count(), unless the call is recorded.
  size_t output_count() const noexcept;
  void set_output_count(size_t count) noexcept { outputs_ = count; }

  /// See tenon_function_context_save and those after it. The marks are of the call: they throw
  /// TENON_ERROR_STATE once it is recorded, as save does.
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
  /// At a lower level of nested transforms, returns the state of the innermost level.
  void* state() const noexcept {
    return state_ != nullptr || above_ == nullptr ? state_ : above_->state();
  }

  /// Forward mode of the call, where an input has a tangent: begun before forward, until finish.
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
  /// Ends the state that was set up for forward, also if forward failed.
  void end_forward() noexcept;

  /// The call at the levels below, from before forward until finish.
  void set_lower(std::unique_ptr<tenon::autograd::LowerCall> lower) noexcept;
  std::unique_ptr<tenon::autograd::LowerCall> take_lower() noexcept;
  /// Copies what forward stored in the context of the level above; `below` maps a tensor of that
  /// level to the tensor under it.
  template <class Below>
  void follow(tenon_function_context& above, Below&& below);
  /// Replaces an output of forward by `fresh` in the saved and marked tensors.
  void replace_saved(const Tensor* output, Tensor& fresh) noexcept;

  bool is_input(const Tensor* tensor) const noexcept { return input_of(tensor) >= 0; }
  /// Number of the first input that is this tensor, -1 for none.
  int input_of(const Tensor* tensor) const noexcept;
  bool is_dirty(const Tensor* tensor) const noexcept;
  bool is_non_differentiable(const Tensor* tensor) const noexcept;
  std::span<Tensor* const> dirty() const noexcept { return {dirty_.data(), dirty_.size()}; }

  /// A node for the call, with edges and room for the saved values. Throws
  /// TENON_ERROR_OUT_OF_MEMORY.
  tenon::autograd::NodePtr make_node(std::span<const Tensor* const> outputs);
  /// Moves what was saved into the node; results are known by their place, so that they and the
  /// node do not keep each other. The call is recorded then.
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
  std::vector<tenon::autograd::FunctionInput> inputs_;  // tensors until recorded
  tenon::base::SmallVector<tenon_value, 4> saved_;      // until recorded owned, then tags only
  tenon::base::SmallVector<Tensor*, 2> dirty_;          // until recorded, as the next
  tenon::base::SmallVector<Tensor*, 2> non_differentiable_;
  std::unique_ptr<tenon::autograd::FunctionJvp> jvp_;
  std::unique_ptr<tenon::autograd::LowerCall> lower_;
  std::optional<tenon::autograd::PauseTangents> pause_;
  // At a lower level, the context of the level above, which owns the state.
  tenon::base::IntrusivePtr<const tenon_function_context> above_;
  size_t outputs_ = 0;
  Node* node_ = nullptr;  // which keeps the context
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
