// SPDX-License-Identifier: Apache-2.0
// Reduction: what operators that fold dims share. Which dims, the shape of the result, and the
// walks over what is kept and what is folded.
#pragma once

#include "kernels/common/promotion.h"
#include "kernels/common/walk.h"

namespace tenon::kernels {

// One reduction, from arguments to walks. Touches no data: CPU kernels and Meta share it.
class Reduction {
 public:
  explicit Reduction(const char* op) : op_(op) {}
  Reduction(const Reduction&) = delete;
  Reduction& operator=(const Reduction&) = delete;

  // The tensor and the dims to fold: absent or empty means all.
  void input(const Tensor& self, std::optional<Sizes> dims);

  // Refuses a fold of no elements, for operators without a value for it.
  void require_elements() const;

  // Allocates the result.
  void finish(Dtype result, bool keepdim);

  // Folds the same dims into another tensor of the sizes of the other plan's result.
  void reuse(const Reduction& other, const Tensor& result);

  // Builds the walks over `self` (the input, or a cast of it with the same sizes). With `in_order`
  // folded dims are walked in row-major order of the input, else as memory prefers.
  void walk_over(const tenon_tensor_info& self, bool in_order);

  const char* op() const { return op_; }
  const tenon_tensor_info& input_info() const { return info_; }
  const tenon_tensor_info& result_info() const { return result_info_; }
  // How many elements make one result.
  int64_t folded_numel() const { return folded_numel_; }

  // Operand 0 is the result, operand 1 the input, over the dims that are kept.
  const Walk& kept() const { return kept_; }
  // Operand 0 is the input, over the dims that are folded; its base is an element of the kept walk.
  const Walk& folded() const { return folded_; }
  // Whether the input's elements lie closer along kept dims: then several results are computed at
  // once.
  bool kept_is_inner() const { return kept_is_inner_; }

  Tensor take_result() { return std::move(result_); }

 private:
  const char* op_;
  tenon_tensor_info info_;
  Device device_;
  uint64_t mask_ = 0;  // bit d: dim d is folded
  int64_t folded_numel_ = 1;
  bool kept_is_inner_ = false;
  Tensor result_;
  tenon_tensor_info result_info_;
  Walk kept_;
  Walk folded_;
};

}  // namespace tenon::kernels
