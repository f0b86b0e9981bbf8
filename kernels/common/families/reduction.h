// SPDX-License-Identifier: Apache-2.0
// Reduction: the plan of operators that fold dims. It determines the dims, the shapes of the
// results, and the walks over the kept and the folded dims.
#pragma once

#include "kernels/common/promotion.h"
#include "kernels/common/walk.h"

namespace tenon::kernels {

// The plan of one reduction. It touches no data, so all devices and Meta share it.
class Reduction {
 public:
  static constexpr int kMaxResults = 2;

  explicit Reduction(const char* op) : op_(op) {}
  Reduction(const Reduction&) = delete;
  Reduction& operator=(const Reduction&) = delete;

  // Sets the tensor and the dims to fold; nullopt means all dims.
  void input(const tenon_tensor* self, std::optional<Sizes> dims);

  // Refuses an empty fold, for operators that have no value for it.
  void require_elements() const;

  // Adds a result of this dtype: a new tensor, or the caller's `out`, which must have this dtype
  // and is resized. `name` is the schema's.
  void result(Dtype dtype, bool keepdim, tenon_tensor* out, const char* name);

  // Builds the walks. If `in_order` is true, folded dims are walked in row-major order of the
  // input; otherwise in the order that suits memory.
  void build_walks(bool in_order);
  // Like build_walks(), but over a cast of the input, which has the input's sizes.
  void build_walks_over(const tenon_tensor_info& self, bool in_order);

  const char* op() const { return op_; }
  const tenon_tensor_info& input_info() const { return info_; }
  Dtype input_dtype() const { return dtype_of_info(info_); }
  int results() const { return results_; }
  Dtype result_dtype(int k) const { return dtype_of_info(result_infos_[k]); }
  // Returns the number of elements that are folded into one result.
  int64_t folded_numel() const { return folded_numel_; }

  // Returns the walk over the kept dims. Operand k is result k, and the last operand is the input.
  const Walk& kept() const { return kept_; }
  // Returns the walk over the folded dims. Operand 0 is the input; its base is an element of the
  // kept walk.
  const Walk& folded() const { return folded_; }
  // Returns true if the input's elements are closer in memory along kept dims. Several results are
  // then computed at once.
  bool kept_is_inner() const { return kept_is_inner_; }

  // Returns a new result; empty if the caller passed the output.
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
