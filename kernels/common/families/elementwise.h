// SPDX-License-Identifier: Apache-2.0
// Elementwise: the plan of a pointwise call. It determines the computing dtype and the broadcast
// shape, checks the output or allocates it with PyTorch's strides, and builds the walk over all
// operands.
#pragma once

#include <span>

#include "kernels/common/allocation.h"
#include "kernels/common/promotion.h"
#include "kernels/common/walk.h"

namespace tenon::kernels {

// Destination of a result: a new tensor, the first input (never resized), or the caller's `out`.
class Output {
 public:
  static Output allocate() { return {nullptr, false}; }
  static Output in_place(tenon_tensor* self) { return {self, false}; }
  static Output into(tenon_tensor* out) { return {out, true}; }

  tenon_tensor* tensor() const { return tensor_; }
  bool may_resize() const { return may_resize_; }

 private:
  Output(tenon_tensor* tensor, bool may_resize) : tensor_(tensor), may_resize_(may_resize) {}
  tenon_tensor* tensor_;
  bool may_resize_;
};

// One of several results, which all have the same shape.
struct OneOfSeveral {
  Dtype dtype = Dtype::None;      // dtype that the loop writes
  const char* name = nullptr;     // schema's name of an existing result
  tenon_tensor* given = nullptr;  // the caller's `out`; NULL: a new tensor
  Tensor made = {};               // the new tensor

  tenon_tensor* tensor() const { return made ? made.get() : given; }
};

enum class Promotion {
  Common,       // the dtype that all inputs promote to
  CommonFloat,  // likewise, but the default floating dtype instead of bool and integers
};

// The plan of one pointwise call. It touches no data, so CPU kernels and Meta share it.
//
// The walk has each operand's actual data, strides and element size. Its caller converts elements
// if needs_cast(k) or output_needs_cast() is true.
class Elementwise {
 public:
  static constexpr int kMaxInputs = kMaxOperands - 1;

  explicit Elementwise(const char* op) : op_(op) {}
  Elementwise(const Elementwise&) = delete;
  Elementwise& operator=(const Elementwise&) = delete;

  // Adds an input, in the order in which the loop takes them. `name` is the schema's.
  void input(const tenon_tensor* tensor, const char* name) {
    tenon_tensor_info& info = infos_[ninputs_];
    check(tenon_tensor_describe(tensor, &info));
    if ((info.flags & (TENON_TENSOR_UNDEFINED | TENON_TENSOR_HOLLOW)) != 0) [[unlikely]] {
      refuse_input(info, name);
    }
    inputs_[ninputs_] = tensor;
    names_[ninputs_] = name;
    input_dtypes_[ninputs_] = dtype_of_info(info);
    ++ninputs_;
  }

  // Sets the dtype that the loop computes in from inputs `first` and later.
  void promote(Promotion promotion, int first = 0) {
    dtype_ = input_dtypes_[first];
    bool settled = promotion == Promotion::Common || !is_bool_or_integral(dtype_);
    for (int k = first; k < ninputs_; ++k) {
      settled = settled && input_dtypes_[k] == dtype_ &&
                (infos_[k].flags & TENON_TENSOR_WRAPPED_NUMBER) == 0;
    }
    if (!settled) promote_mixed(promotion, first);
  }
  // Sets the dtype that input k is read in.
  void read_as(int k, Dtype dtype) { input_dtypes_[k] = dtype; }

  // Determines the shape, sets up the output and builds the walk. `result` is the dtype that the
  // loop writes.
  void finish(Dtype result, Output output);
  // Like finish(), but for one input and a new result. If the input is dense, the result gets its
  // strides, even those of dims of size 1 and those of an empty tensor.
  void finish_preserving(Dtype result);
  // Like finish(), but for several results. With a single input that is dense, new results get its
  // strides. `results` must outlive the plan.
  void finish_several(std::span<OneOfSeveral> results);

  const char* op() const { return op_; }
  // Returns the dtype that the loop computes in.
  Dtype dtype() const { return dtype_; }
  int outputs() const { return further_ + 1; }
  // Returns the dtype that the loop writes.
  Dtype result_dtype(int k = 0) const { return k == 0 ? result_dtype_ : results_[k].dtype; }
  // Returns the dtype of the output tensor, which may differ from result_dtype() if the caller
  // passed it.
  Dtype output_dtype(int k = 0) const {
    return k == 0 ? output_dtype_ : dtype_of_info(output_info(k));
  }
  int inputs() const { return ninputs_; }
  const tenon_tensor_info& input_info(int k) const { return infos_[k]; }
  const tenon_tensor* input_tensor(int k) const { return inputs_[k]; }
  Dtype input_dtype(int k) const { return input_dtypes_[k]; }
  tenon_tensor* output(int k = 0) const {
    if (k > 0) return results_[k].tensor();
    return result_ ? result_.get() : given_;
  }
  tenon_tensor_info output_info(int k = 0) const { return info_of(output(k)); }
  bool has_casts() const { return has_casts_; }
  bool needs_cast(int k) const { return infos_[k].dtype != static_cast<int32_t>(input_dtypes_[k]); }
  bool output_needs_cast(int k = 0) const { return output_dtype(k) != result_dtype(k); }
  Dims cast_strides(int k) const {
    return preserving_strides(sizes_of(infos_[k]), strides_of(infos_[k]));
  }
  Dims output_cast_strides(int k = 0) const {
    const tenon_tensor_info output = output_info(k);
    return preserving_strides(sizes_of(output), strides_of(output));
  }

  // Returns the walk: outputs are the first operands, inputs follow.
  Walk& walk() { return walk_; }

  // Returns the allocated result; empty if the output was passed by the caller.
  Tensor take_result() { return std::move(result_); }

 private:
  [[noreturn, gnu::cold]] void refuse_input(const tenon_tensor_info& info, const char* name) const;
  void promote_mixed(Promotion promotion, int first);
  bool inputs_follow_lead() const;
  void finish_like_lead();
  void finish_given_or_strided(Output output);
  void common_device();
  void take_output(tenon_tensor* given, bool may_resize);
  void check_output(const tenon_tensor_info& output, const char* name, Dtype result) const;
  static tenon_tensor_info info_of(const tenon_tensor* tensor) {
    tenon_tensor_info info;
    check(tenon_tensor_describe(tensor, &info));
    return info;
  }
  void finish_flat(const int64_t* strides);
  void finish_general(Sizes shape);
  void allocate(Sizes sizes, const int64_t* strides);
  void describe_output(const tenon_tensor_info& info);
  void resize_output(tenon_tensor* given, Sizes sizes, const int64_t* strides, bool row_major);
  void walk_in_order_of_output(Sizes shape);
  void settle_several(Sizes shape);
  void walk_several(Sizes shape);
  bool lies_as_cast(int k) const;
  Sizes input_strides(int k, int64_t* storage) const;

  const char* op_;
  int ninputs_ = 0;
  int further_ = 0;  // number of results after the first
  bool has_casts_ = false;
  Dtype dtype_ = Dtype::None;
  Dtype result_dtype_ = Dtype::None;
  Dtype input_dtypes_[kMaxInputs];
  const char* names_[kMaxInputs];
  const tenon_tensor* inputs_[kMaxInputs];
  tenon_tensor_info infos_[kMaxInputs];
  Device device_;
  tenon_tensor* given_ = nullptr;  // the caller's output
  bool resize_ = false;            // `given_` has another shape and may be resized
  Tensor result_;
  OneOfSeveral* results_;  // all results, if there are several
  Dtype output_dtype_;
  void* output_data_;
  Walk walk_;
};

}  // namespace tenon::kernels
