// SPDX-License-Identifier: Apache-2.0
// Reduction: what operators that fold dims share. Which dims, the shapes of the results, and the
// walks over what is kept and what is folded.
#pragma once

#include "kernels/common/promotion.h"
#include "kernels/common/walk.h"

namespace tenon::kernels {

// One reduction, from arguments to walks. Touches no data: all devices and Meta share it.
class Reduction {
 public:
  static constexpr int kMaxResults = 2;

  explicit Reduction(const char* op) : op_(op) {}
  Reduction(const Reduction&) = delete;
  Reduction& operator=(const Reduction&) = delete;

  // The tensor and the dims to fold: absent means all.
  void input(const tenon_tensor* self, std::optional<Sizes> dims);

  // Refuses a fold of no elements, for operators without a value for it.
  void require_elements() const;

  // Adds a result of this dtype: a new tensor, or the caller's `out`, which must be of the dtype
  // and is resized; `name` is the schema's.
  void result(Dtype dtype, bool keepdim, tenon_tensor* out, const char* name);

  // Builds the walks. With `in_order` folded dims are walked in row-major order of the input, else
  // as memory prefers.
  void build_walks(bool in_order);
  // The same over a cast of the input, with its sizes.
  void build_walks_over(const tenon_tensor_info& self, bool in_order);

  const char* op() const { return op_; }
  const tenon_tensor_info& input_info() const { return info_; }
  Dtype input_dtype() const { return dtype_of_info(info_); }
  int results() const { return results_; }
  Dtype result_dtype(int k) const { return dtype_of_info(result_infos_[k]); }
  // How many elements make one result.
  int64_t folded_numel() const { return folded_numel_; }

  // Operand k is result k, the last operand the input, over the dims that are kept.
  const Walk& kept() const { return kept_; }
  // Operand 0 is the input, over the dims that are folded; its base is an element of the kept walk.
  const Walk& folded() const { return folded_; }
  // Whether the input's elements lie closer along kept dims: then several results are computed at
  // once.
  bool kept_is_inner() const { return kept_is_inner_; }

  // A new result; empty where the output was given.
  Tensor take_result(int k) { return std::move(new_results_[k]); }

 private:
  const char* op_;
  tenon_tensor_info info_;
  const tenon_tensor* self_;
  uint64_t mask_ = 0;  // bit d: dim d is folded
  int64_t folded_numel_ = 1;
  bool kept_is_inner_ = false;
  int results_ = 0;
  bool keepdim_ = false;
  Tensor new_results_[kMaxResults];
  tenon_tensor_info result_infos_[kMaxResults];
  Walk kept_;
  Walk folded_;
};

}  // namespace tenon::kernels
