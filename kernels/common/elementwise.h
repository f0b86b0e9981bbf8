// SPDX-License-Identifier: Apache-2.0
// Elementwise: what all pointwise operators share. Computing dtype, broadcast shape, checks of the
// output, its allocation with the strides that PyTorch gives it, and the walk over all operands.
#pragma once

#include "kernels/common/promotion.h"
#include "kernels/common/walk.h"

namespace tenon::kernels {

// Where a result goes: a new tensor, the first input (never resized), or the caller's `out`.
class Output {
 public:
  static Output allocate() { return {nullptr, false}; }
  static Output in_place(const Tensor& self) { return {&self, false}; }
  static Output into(const Tensor& out) { return {&out, true}; }

  const Tensor* tensor() const { return tensor_; }
  bool may_resize() const { return may_resize_; }

 private:
  Output(const Tensor* tensor, bool may_resize) : tensor_(tensor), may_resize_(may_resize) {}
  const Tensor* tensor_;
  bool may_resize_;
};

enum class Promotion {
  Common,       // the dtype that all inputs promote to
  CommonFloat,  // the same, and the default floating dtype instead of bool and integers
};

// One pointwise call, from arguments to a walk. Touches no data: CPU kernels and Meta share it.
//
// A kernel for a device without casts in its loops replaces each input k whose needs_cast(k) is set
// by a temporary of dtype input_dtype(k), sizes and strides as the walk already expects
// (cast_strides(k)), and likewise the output.
class Elementwise {
 public:
  static constexpr int kMaxInputs = kMaxOperands - 1;

  explicit Elementwise(const char* op) : op_(op) {}
  Elementwise(const Elementwise&) = delete;
  Elementwise& operator=(const Elementwise&) = delete;

  // Adds an input; `name` is the schema's. Order: as the loop takes them.
  void input(const Tensor& tensor, const char* name);

  // Sets the dtype that the loop computes in from inputs `first` and later.
  void promote(Promotion promotion, int first = 0);
  // Says that one input is read in this dtype.
  void read_as(int k, Dtype dtype) { input_dtypes_[k] = dtype; }

  // Settles shape and output and builds the walk. `result` is the dtype that the loop writes.
  void finish(Dtype result, Output output);

  const char* op() const { return op_; }
  // The dtype that the loop computes in.
  Dtype dtype() const { return dtype_; }
  // The dtype that the loop writes.
  Dtype result_dtype() const { return result_dtype_; }
  int inputs() const { return ninputs_; }
  const tenon_tensor_info& input_info(int k) const { return infos_[k]; }
  Dtype input_dtype(int k) const { return input_dtypes_[k]; }
  const tenon_tensor_info& output_info() const { return output_; }
  bool has_casts() const { return has_casts_; }
  bool needs_cast(int k) const { return infos_[k].dtype != static_cast<int32_t>(input_dtypes_[k]); }
  bool output_needs_cast() const { return output_.dtype != static_cast<int32_t>(result_dtype_); }
  Dims cast_strides(int k) const {
    return preserving_strides(sizes_of(infos_[k]), strides_of(infos_[k]));
  }
  Dims output_cast_strides() const {
    return preserving_strides(sizes_of(output_), strides_of(output_));
  }

  // Operand 0 is the output, operand k + 1 is input k. Operands that need a cast have no data yet.
  Walk& walk() { return walk_; }

  // The allocated result; empty when the output was given.
  Tensor take_result() { return std::move(result_); }

 private:
  void common_device();
  void check_output(const Tensor& given, bool may_resize);
  void finish_flat(const int64_t* strides);
  void finish_general(Sizes shape);
  Sizes input_strides(int k, Dims& storage) const;
  void* input_data(int k) const { return needs_cast(k) ? nullptr : infos_[k].data; }
  void* output_data() const { return output_needs_cast() ? nullptr : output_.data; }

  const char* op_;
  int ninputs_ = 0;
  bool has_casts_ = false;
  Dtype dtype_ = Dtype::None;
  Dtype result_dtype_ = Dtype::None;
  Dtype input_dtypes_[kMaxInputs];
  const char* names_[kMaxInputs];
  tenon_tensor_info infos_[kMaxInputs];
  tenon_tensor_info output_{};
  Device device_;
  const Tensor* given_ = nullptr;  // the caller's output
  bool resize_ = false;            // it has another shape and may be resized
  Tensor result_;
  Walk walk_;
};

}  // namespace tenon::kernels
