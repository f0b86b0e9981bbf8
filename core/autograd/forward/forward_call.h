// SPDX-License-Identifier: Apache-2.0
// ForwardCall: forward mode in one recorded call, from its arguments' tangents to its results'.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "autograd/forward/dual_level.h"
#include "autograd/node/node.h"
#include "base/small_vector.h"
#include "value/value.h"

namespace tenon::autograd {

/// A result's tensor.
struct CallResult {
  tensor::Tensor* tensor;  // NULL: absent or undefined
  tensor::Tensor** slot;   // where it stands in the stack
  bool written;            // it is an argument
};

class ForwardCall {
 public:
  /// NULL where no argument has a tangent, as outside of dual levels.
  static std::unique_ptr<ForwardCall> start(const Plan& plan, const tenon_op& op,
                                            tenon_stack* stack) {
    DualLevel* level = DualLevel::current();
    return level != nullptr ? start(*level, plan, op, stack) : nullptr;
  }
  ForwardCall(const ForwardCall&) = delete;
  ForwardCall& operator=(const ForwardCall&) = delete;

  /// Before the kernel runs: keeps what it overwrites. Returns for which inputs, by bit, a node
  /// must save as if gradients were wanted: the tangents come from it. Throws
  /// TENON_ERROR_NOT_SUPPORTED for an operator that has none, TENON_ERROR_STATE for a call that
  /// writes into an `out`.
  uint64_t prepare();

  /// After it ran: gives the results their tangents. `node` (NULL: nothing needed one) is recorded
  /// for the call, `results` are its outputs. Throws what the formula raised.
  void finish(Node* node, std::span<const CallResult> results);

 private:
  // The old elements of an argument on memory that the kernel writes.
  struct Copy {
    uint16_t position;
    tensor::TensorPtr elements;
  };
  // An argument that the kernel writes.
  struct Written {
    tensor::Tensor* tensor;
    tensor::TensorPtr tangent;      // it is written, too; NULL without
    tensor::TensorPtr old_tangent;  // a copy of it where graphs are made
    std::vector<int64_t> shape;     // its old sizes and strides
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
  void take_view(const CallResult& result, size_t input, uint8_t* out_done);
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
  uint64_t inputs_with_ = 0;  // bit i: input i has a tangent, or an element of it
  base::SmallVector<tensor::Tensor*, 4> inputs_;  // elements of lists one by one
  std::vector<tensor::TensorPtr> tangents_;       // of them; NULL without
  std::vector<Written> written_;
  std::vector<Copy> copies_;
  std::vector<uint8_t> done_;  // by result: 1 where its tangent needs no formula
};

}  // namespace tenon::autograd
