// SPDX-License-Identifier: Apache-2.0
// AlongDim: what operators share that index one dim of a tensor with a vector.
#pragma once

#include "kernels/common/call.h"
#include "kernels/common/shape.h"

namespace tenon::kernels {

class AlongDim {
 public:
  // Of the call's argument 0, or of `self` in its place, which has its sizes; argument 1 is the
  // dim, argument 2 the index. Throws for an index that is no vector of integers.
  explicit AlongDim(const Call& call) : AlongDim(call, *call.get<Tensor>(0)) {}
  AlongDim(const Call& call, const Tensor& self);

  AlongDim(const AlongDim&) = delete;
  AlongDim& operator=(const AlongDim&) = delete;

  // Refuses indices that count from the end.
  void check_index() const;
  // Of 1 dim at least: a 0-dim tensor is seen as a vector of one.
  const Tensor& self() const { return self_; }
  int64_t dim() const { return dim_; }
  int64_t count() const { return index_.numel(); }
  // For aten::index and aten::index_put.
  TensorList indices() const { return {indices_, dim_ + 1}; }
  // The sizes of what is selected.
  Dims sizes() const;
  // `source` seen in these sizes. Throws unless it has them, and the dtype of self.
  Tensor source(const char* name, const Tensor& source) const;

 private:
  const char* op_;
  Tensor self_;
  Tensor index_;
  int64_t dim_;
  tenon_tensor* indices_[kMaxDims] = {};
};

// The tensor that a call writes: its own in place, else a copy; `keeps_strides` as self has them,
// else row-major.
Tensor written_or_copy(const Call& call, bool keeps_strides);

}  // namespace tenon::kernels
