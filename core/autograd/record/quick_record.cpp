// SPDX-License-Identifier: Apache-2.0
#include "autograd/record/quick_record.h"

#include <algorithm>

#include "autograd/node/saved_value.h"
#include "autograd/operators.h"
#include "autograd/record/call_below.h"
#include "autograd/record/recording_modes.h"
#include "autograd/tensor_state.h"

namespace tenon::autograd {

namespace {

using tensor::Tensor;
using tensor::TensorPtr;

constexpr size_t kMaxQuickInputs = 8;

// One recorded call.
class QuickRecording {
 public:
  QuickRecording(const Plan& plan, const tenon_stack& stack) : plan_(plan), stack_(stack) {
    count_ = plan.inputs.size();
    for (size_t i = 0; i < count_; ++i) {
      Tensor* tensor = defined_tensor(stack.args[plan.inputs[i].position]);
      inputs_[i] = tensor;
      if (tensor == nullptr) continue;
      versions_[i] = static_cast<uint32_t>(tensor->version());
      if ((plan.wanted >> i & 1) != 0 && tensor->may_be_tracked()) add_edge(i);
    }
  }
  ~QuickRecording() {
    for (uint64_t left = given_; left != 0; left &= left - 1) {
      edges_[__builtin_ctzll(left)].node->release();
    }
  }
  QuickRecording(const QuickRecording&) = delete;
  QuickRecording& operator=(const QuickRecording&) = delete;

  bool is_tracked() const noexcept { return needed_ != 0; }

  /// Records the call after its kernel has returned.
  void finish(tenon_value* result) {
    Tensor* tensor = defined_tensor(*result);
    if (tensor == nullptr || !is_differentiable(tensor->dtype())) return;
    // Linking the result to this node must not relink a tensor that already has a node, nor make an
    // input lead to itself, which would be a reference cycle: return an alias instead.
    if (is_input(tensor) || has_node(*tensor)) [[unlikely]] {
      TensorPtr alias = operators::detached_alias(*tensor);
      tensor->release();
      result->as.tensor = tensor = alias.detach();
    }
    const Tensor* output = tensor;
    NodePtr node = Node::make(plan_, plan_.shape, {&output, 1});
    for (uint64_t left = std::exchange(given_, 0); left != 0; left &= left - 1) {
      const auto i = static_cast<uint32_t>(__builtin_ctzll(left));
      node->set_edge(i, NodePtr::adopt(edges_[i].node), edges_[i].output);
    }
    save(*node, tensor);
    if (const RecordingModes* modes = recording_modes()) [[unlikely]] {
      finish_recorded(*node, *modes);
    }
    set_node(*tensor, std::move(node), 0);
  }

 private:
  void add_edge(size_t input) {
    GradientEdge flow = gradient_edge(*inputs_[input]);
    if (flow.node == nullptr) return;
    edges_[input] = {flow.node.detach(), flow.output};
    given_ = needed_ |= uint64_t{1} << input;
  }

  bool is_input(const Tensor* tensor) const noexcept {
    return std::find(inputs_, inputs_ + count_, tensor) != inputs_ + count_;
  }

  void save(Node& node, Tensor* result) {
    SavedTensor* tensor = node.saved_tensors().data();
    tenon_value* value = node.saved_values().data();
    for (const Save& save : plan_.saves) {
      const bool is_needed = (save.needed_by & needed_) != 0;
      if (!save.is_tensor) {
        tenon_value& slot = *value++;
        if (is_needed) slot = saved_value(save, stack_);
        continue;
      }
      SavedTensor& slot = *tensor++;
      if (!is_needed) continue;
      if (save.of_result) {
        // A detached alias, see SavedTensor.
        slot.tensor = operators::detached_alias(*result).detach();
        slot.version = static_cast<uint32_t>(result->version());
        slot.result = 0;
      } else if (Tensor* input = inputs_[save.input]) {
        // The tensor itself, with its version from before the call.
        if (input->is_inference()) [[unlikely]] {
          refuse_inference(plan_.formula->name(), *input);
        }
        input->retain();
        slot.tensor = input;
        slot.version = versions_[save.input];
        slot.edge = save.input;
      }
    }
  }

  const Plan& plan_;
  const tenon_stack& stack_;
  size_t count_;
  uint64_t needed_ = 0;  // bit i: a gradient flows to input i
  uint64_t given_ = 0;   // bit i: edges_[i] is set and owns its node
  Tensor* inputs_[kMaxQuickInputs];
  struct InputEdge {
    Node* node;
    uint32_t output;
  } edges_[kMaxQuickInputs];
  uint32_t versions_[kMaxQuickInputs];  // versions before the kernel ran
};

}  // namespace

bool is_quick(const Plan& plan) noexcept {
  const auto& returns = plan.schema->returns();
  return !plan.formula->looks_at_calls() && !plan.has_lists &&
         plan.inputs.size() <= kMaxQuickInputs && !plan.schema->is_mutable() &&
         !plan.schema->is_vararg() && returns.size() == 1 &&
         returns[0].type->kind == TENON_TYPE_TENSOR;
}

tenon_status record_quickly(const Plan& plan, const tenon_op* op, tenon_keyset keys,
                            tenon_stack* stack) {
  QuickRecording recording(plan, *stack);
  // No gradient flows to an argument.
  if (!recording.is_tracked()) return dispatch::redispatch(op, keys & (kAutograd - 1), stack);
  const tenon_status status = call_below(op, keys, stack);
  if (status == TENON_OK) recording.finish(&stack->rets[0]);
  return status;
}

}  // namespace tenon::autograd
