// SPDX-License-Identifier: Apache-2.0
// ForwardCall: computes the tangents of one recorded call's results from those of its arguments.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "autograd/forward/dual_level.h"
#include "autograd/node/node.h"
#include "base/small_vector.h"
#include "value/value.h"

namespace tenon::autograd {

/// A tensor among the results.
struct CallResult {
  tensor::Tensor* tensor;  // NULL: absent or undefined
  tensor::Tensor** slot;   // its location in the stack
  bool written;            // it is an argument that the kernel writes
};

class ForwardCall {
 public:
  /// Returns NULL if no argument has a tangent, as is always the case outside dual levels.
  static std::unique_ptr<ForwardCall> start(const Plan& plan, const tenon_op& op,
                                            tenon_stack* stack) {
    DualLevel* level = DualLevel::current();
    return level != nullptr ? start(*level, plan, op, stack) : nullptr;
  }
  ForwardCall(const ForwardCall&) = delete;
  ForwardCall& operator=(const ForwardCall&) = delete;

  /// Prepares for the kernel: copies what it will overwrite. Returns a bit mask of the inputs whose
  /// gradients the node must be able to compute, even if no gradient flows there, because tangents
  /// are derived from the node. Throws TENON_ERROR_NOT_SUPPORTED for an operator without any
  /// formula, and TENON_ERROR_STATE for a call that writes into an `out`.
  uint64_t prepare();

  /// Gives the results their tangents after the kernel ran. `node` is the node recorded for the
  /// call, NULL if none was needed; `results` are its outputs. Throws the errors of the formula.
  void finish(Node* node, std::span<const CallResult> results);

 private:
  // The old elements of an argument whose memory the kernel writes.
  struct Copy {
    uint16_t position;
    tensor::TensorPtr elements;
  };
  // An argument that the kernel writes.
  struct WrittenArgument {
    tensor::Tensor* tensor;
    tensor::TensorPtr tangent;      // written as well; NULL if the tensor has none
    tensor::TensorPtr old_tangent;  // a copy of the tangent if the call is recorded
    std::vector<int64_t> shape;     // old sizes and strides
    int64_t offset;
  };

  ForwardCall(DualLevel& level, const Plan& plan, const tenon_op& op, tenon_stack* stack)
      : level_(level), plan_(plan), op_(op), stack_(*stack) {}
  static std::unique_ptr<ForwardCall> start(DualLevel& level, const Plan& plan, const tenon_op& op,
                                            tenon_stack* stack);
  void add_input(tensor::Tensor* tensor, size_t input);
  void keep_written(tensor::Tensor* tensor);
  void keep_read();
  void keep_tangents();
  bool is_recorded() const;
  size_t first_input(int64_t position) const noexcept;
  size_t first_result(uint16_t number) const noexcept;

  void take_views(std::span<const CallResult> results);
  void set_view_tangent(const CallResult& result, size_t input, uint8_t* out_done);
  void take_reshaped(const CallResult& result, uint8_t* out_done);
  void from_text(std::span<const CallResult> results);
  void from_jvp(const CallbackFormula& formula, Node* node, std::span<const CallResult> results);
  void from_node(Node& node, std::span<const CallResult> results);
  value::OwnedValue tangent_value(size_t argument) const;
  void set(const CallResult& result, tensor::TensorPtr tangent);
  void pass_to_saved(Node& node, std::span<const CallResult> results);

  DualLevel& level_;
  const Plan& plan_;
  const tenon_op& op_;
  tenon_stack& stack_;
  uint64_t inputs_with_ = 0;  // bit i: input i, or an element of it, has a tangent
  base::SmallVector<tensor::Tensor*, 4> inputs_;  // elements of lists are separate entries
  std::vector<tensor::TensorPtr> tangents_;       // by input; NULL if it has none
  std::vector<WrittenArgument> written_;
  std::vector<Copy> copies_;
  std::vector<uint8_t> done_;  // by result: 1 if its tangent is already set or needs no formula
};

}  // namespace tenon::autograd
