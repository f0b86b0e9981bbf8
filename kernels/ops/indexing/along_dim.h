// SPDX-License-Identifier: Apache-2.0
// AlongDim: shared by operators that index one dim of a tensor with a vector.
#pragma once

#include "kernels/common/call.h"
#include "kernels/common/shape.h"

namespace tenon::kernels {

class AlongDim {
 public:
  // Uses the call's argument 0, or `self` of the same sizes instead; argument 1 is the dim and
  // argument 2 the index. Throws for an index that is not a vector of integers.
  explicit AlongDim(const Call& call) : AlongDim(call, *call.get<Tensor>(0)) {}
  AlongDim(const Call& call, const Tensor& self);

  AlongDim(const AlongDim&) = delete;
  AlongDim& operator=(const AlongDim&) = delete;

  // Refuses negative indices.
  void check_index() const;
  // Returns self, with at least one dim: a 0-dim tensor counts as a vector of size 1.
  const Tensor& self() const { return self_; }
  int64_t dim() const { return dim_; }
  int64_t count() const { return index_.numel(); }
  // Returns the indices for aten::index and aten::index_put.
  TensorList indices() const { return {indices_, dim_ + 1}; }
  // Returns the sizes of the selection.
  Dims sizes() const;
  // Returns `source` as a view of these sizes. Throws unless it has them, and the dtype of self.
  Tensor source(const char* name, const Tensor& source) const;

 private:
  const char* op_;
  Tensor self_;
  Tensor index_;
  int64_t dim_;
  tenon_tensor* indices_[kMaxDims] = {};
};

// Returns the tensor that a call writes: self in place, otherwise a copy, which has self's strides
// if `keeps_strides` is true and is row-major otherwise.
Tensor written_or_copy(const Call& call, bool keeps_strides);

}  // namespace tenon::kernels
