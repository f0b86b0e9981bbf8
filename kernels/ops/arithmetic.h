// SPDX-License-Identifier: Apache-2.0
// Calls of arithmetic, reductions and views that composites are built from.
#pragma once

#include <optional>
#include <tuple>
#include <vector>

#include "kernels/common/call.h"
#include "kernels/common/check.h"
#include "kernels/ops/calls.h"

namespace tenon::kernels {

Tensor call_abs(const Tensor& self);
Tensor call_conj(const Tensor& self);
Tensor call_real(const Tensor& self);
Tensor call_neg(const Tensor& self);
Tensor call_sqrt(const Tensor& self);
Tensor call_reciprocal(const Tensor& self);
Tensor call_add(const Tensor& self, const Tensor& other, const Scalar& alpha = Scalar(1));
Tensor call_add(const Tensor& self, const Scalar& other);
inline Tensor call_add(const Tensor& self, double other) { return call_add(self, Scalar(other)); }
Tensor call_sub(const Tensor& self, const Tensor& other);
// Returns other - self.
Tensor call_rsub(double other, const Tensor& self);
Tensor call_mul(const Tensor& self, const Tensor& other);
Tensor call_mul(const Tensor& self, const Scalar& other);
inline Tensor call_mul(const Tensor& self, double other) { return call_mul(self, Scalar(other)); }
Tensor call_div(const Tensor& self, const Tensor& other);
Tensor call_div(const Tensor& self, const Scalar& other);
Tensor call_pow(const Tensor& self, const Scalar& exponent);
Tensor call_clamp_min(const Tensor& self, double bound);

Tensor call_eq(const Tensor& self, const Tensor& other);
Tensor call_eq(const Tensor& self, const Scalar& other);
Tensor call_ne(const Tensor& self, const Tensor& other);
Tensor call_isnan(const Tensor& self);
Tensor call_logical_not(const Tensor& self);
Tensor call_where(const Tensor& condition, const Tensor& self, const Tensor& other);
Tensor call_masked_fill(const Tensor& self, const Tensor& mask, const Scalar& value);

Tensor call_mm(const Tensor& self, const Tensor& other);
Tensor call_bmm(const Tensor& self, const Tensor& other);
Tensor call_matmul(const Tensor& self, const Tensor& other);

// Folds all dims if `dims` is empty.
Tensor call_sum(const Tensor& self, Sizes dims, bool keepdim = false,
                std::optional<Dtype> dtype = std::nullopt);
Tensor call_sum_of_dim(const Tensor& self, int64_t dim, bool keepdim = false);
Tensor call_amax(const Tensor& self, Sizes dims, bool keepdim);
Tensor call_amin(const Tensor& self, Sizes dims, bool keepdim);
Tensor call_cumsum(const Tensor& self, int64_t dim);

Tensor call_squeeze(const Tensor& self, int64_t dim);
Tensor call_select(const Tensor& self, int64_t dim, int64_t index);
Tensor call_transpose(const Tensor& self, int64_t dim0, int64_t dim1);
Tensor call_permute(const Tensor& self, Sizes dims);
Tensor call_movedim(const Tensor& self, int64_t from, int64_t to);
Tensor call_diagonal(const Tensor& self, int64_t offset, int64_t dim0, int64_t dim1);
Tensor call_contiguous(const Tensor& self);
Tensor call_cat(const std::vector<Tensor>& tensors, int64_t dim);
Tensor call_stack(const std::vector<Tensor>& tensors, int64_t dim);
Tensor call_gather(const Tensor& self, int64_t dim, const Tensor& index);
// Return the transpose of the last two dims; call_mH() also conjugates.
Tensor call_mT(const Tensor& self);
Tensor call_mH(const Tensor& self);

// Returns 0, 1, ... below `count` as int64 on the device of a tensor.
Tensor call_arange(int64_t count, const Tensor& like);
// Returns the sorted elements and their original indices.
std::tuple<Tensor, Tensor> call_sort(const Tensor& self, int64_t dim, bool descending = false);

// Refuses bools and integers.
void check_inexact(const char* op, const char* argument, Dtype dtype);
// Refuses bools, integers and complex numbers.
void check_floating(const char* op, const char* argument, Dtype dtype);

// Returns self * beta + product * alpha with the product's sizes and dtype. Self must have or
// broadcast to these. If beta is 0, self is ignored.
Tensor scaled_sum(const Call& call, const Tensor& self, Tensor product, const Scalar& beta,
                  const Scalar& alpha);

// Returns a result, or writes it to the first argument of the in-place form.
void give_or_write(const Call& call, Tensor result);

// Returns the tensors of a list as references.
std::vector<Tensor> tensors_of(TensorList list);

}  // namespace tenon::kernels
