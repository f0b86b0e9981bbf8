// SPDX-License-Identifier: Apache-2.0
// Implements aten::linalg_norm, aten::linalg_matrix_norm and aten::linalg_cond by calling other
// operators.
#include "kernels/ops/linalg/linalg_norm.h"

#include <cmath>
#include <string_view>

#include "kernels/common/promotion.h"
#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/linalg/matrices.h"

namespace tenon::kernels::ops {
namespace {

constinit const LazyOp<Tensor(const Tensor&, const Scalar&, std::optional<Sizes>, bool,
                              std::optional<Dtype>)>
    vector_norm("aten::linalg_vector_norm");
constinit const LazyOp<Tensor(const Tensor&, std::optional<std::string_view>)> singular_values(
    "aten::linalg_svdvals");

struct NormedDims {
  Dims dims;  // dims of rows and columns, wrapped
  bool keepdim;
  std::optional<Dtype> dtype;
};

NormedDims normed_dims(const Call& call, const Tensor& self, Sizes dims, bool keepdim,
                       std::optional<Dtype> dtype) {
  check_inexact(call.op(), "self", self.dtype());
  if (dims.size() != 2) fail_argument(call.op(), "dim", "have two dims", dims);
  Dims wrapped;
  for (const int64_t dim : dims) wrapped.push_back(wrap_dim(call.op(), dim, self.ndim()));
  if (wrapped[0] == wrapped[1]) fail_argument(call.op(), "dim", "have two different dims", dims);
  return {wrapped, keepdim, dtype};
}

// Returns singular values along the last dim.
Tensor values_of(Tensor self, const NormedDims& normed) {
  if (normed.dtype) self = cast(self, *normed.dtype);
  Dims order;
  for (int64_t dim = 0; dim < self.ndim(); ++dim) {
    if (dim != normed.dims[0] && dim != normed.dims[1]) order.push_back(dim);
  }
  order.push_back(normed.dims[0]);
  order.push_back(normed.dims[1]);
  return singular_values(call_permute(self, order), std::nullopt);
}

Tensor with_ones_at(const Tensor& reduced, const Tensor& self, const NormedDims& normed) {
  if (!normed.keepdim) return reduced;
  Dims sizes(self.sizes());
  sizes[normed.dims[0]] = sizes[normed.dims[1]] = 1;
  return call_reshape(reduced, sizes);
}

Tensor frobenius(const Tensor& self, const NormedDims& normed) {
  return vector_norm(self, Scalar(2), normed.dims, normed.keepdim, normed.dtype);
}

Tensor nuclear(const Tensor& self, const NormedDims& normed) {
  const int64_t last[] = {-1};
  return with_ones_at(call_sum(values_of(self, normed), last), self, normed);
}

Tensor of_order(const Call& call, const Tensor& self, double ord, const NormedDims& normed) {
  const double size = std::abs(ord);
  if (size != 1 && size != 2 && !std::isinf(size)) {
    fail_argument(call.op(), "ord", "1, 2, inf, one of these below zero, \"fro\" or \"nuc\"",
                  Scalar(ord));
  }
  if (size == 2) {
    const Tensor values = values_of(self, normed);
    const int64_t last[] = {-1};
    return with_ones_at(ord > 0 ? call_amax(values, last, false) : call_amin(values, last, false),
                        self, normed);
  }
  // The largest or smallest sum of columns, or of rows.
  int64_t summed = normed.dims[0], kept = normed.dims[1];
  if (std::isinf(size)) std::swap(summed, kept);
  const int64_t dims[] = {summed};
  const Tensor sums = vector_norm(self, Scalar(1), Sizes(dims), normed.keepdim, normed.dtype);
  if (kept > summed && !normed.keepdim) --kept;
  const int64_t last[] = {kept};
  return ord > 0 ? call_amax(sums, last, normed.keepdim) : call_amin(sums, last, normed.keepdim);
}

Tensor of_word(const Call& call, const Tensor& self, std::string_view word,
               const NormedDims& normed) {
  if (word == "fro") return frobenius(self, normed);
  if (word == "nuc") return nuclear(self, normed);
  fail_argument(call.op(), "ord", "\"fro\" or \"nuc\"", std::string(word));
}

// Returns the dims of a call of linalg_norm for matrices: those given, or both.
NormedDims both_dims(const Call& call, const Tensor& self) {
  const auto dims = call.get<std::optional<Sizes>>(2);
  const Dims all{0, 1};
  if (!dims && self.ndim() != 2)
    fail_argument(call.op(), "self", "a matrix where no dim is given", self.sizes());
  return normed_dims(call, self, dims ? *dims : Sizes(all), call.get<bool>(3),
                     call.get<std::optional<Dtype>>(4));
}

Tensor condition(const Call& call, const Tensor& self, double ord) {
  static constinit const LazyOp<std::tuple<Tensor, Tensor>(const Tensor&, bool)> inverse(
      "aten::linalg_inv_ex");
  check_matrices(call.op(), "self", self);
  if (std::abs(ord) == 2) {
    const Tensor values = singular_values(self, std::nullopt);
    const int64_t last = values.size(-1) - 1;
    const Tensor largest = call_select(values, -1, 0), smallest = call_select(values, -1, last);
    return ord > 0 ? call_div(largest, smallest) : call_div(smallest, largest);
  }
  const NormedDims normed = normed_dims(call, self, Dims{-2, -1}, false, std::nullopt);
  return call_mul(of_order(call, self, ord, normed),
                  of_order(call, std::get<0>(inverse(self, false)), ord, normed));
}

}  // namespace

void linalg_matrix_norm(const Call& call) {
  const Tensor self = *call.get<Tensor>(0);
  check_inexact(call.op(), "self", self.dtype());
  call.give(0, of_order(call, self, call.get<Scalar>(1).to_double(),
                        normed_dims(call, self, call.get<Sizes>(2), call.get<bool>(3),
                                    call.get<std::optional<Dtype>>(4))));
}

void linalg_matrix_norm_word(const Call& call) {
  const Tensor self = *call.get<Tensor>(0);
  call.give(0, of_word(call, self, call.get<std::string_view>(1),
                       normed_dims(call, self, call.get<Sizes>(2), call.get<bool>(3),
                                   call.get<std::optional<Dtype>>(4))));
}

void linalg_norm(const Call& call) {
  const Tensor self = *call.get<Tensor>(0);
  check_inexact(call.op(), "self", self.dtype());
  const auto ord = call.get<std::optional<Scalar>>(1);
  const auto dims = call.get<std::optional<Sizes>>(2);
  const bool wants_matrices = ord && (dims ? dims->size() == 2 : self.ndim() == 2);
  if (wants_matrices)
    return call.give(0, of_order(call, self, ord->to_double(), both_dims(call, self)));
  if (ord && !dims && self.ndim() > 2) {
    fail_argument(call.op(), "self", "have 1 or 2 dims where ord is given and dim is not",
                  self.sizes());
  }
  call.give(0, vector_norm(self, ord.value_or(Scalar(2)), dims, call.get<bool>(3),
                           call.get<std::optional<Dtype>>(4)));
}

void linalg_norm_word(const Call& call) {
  const Tensor self = *call.get<Tensor>(0);
  call.give(0, of_word(call, self, call.get<std::string_view>(1), both_dims(call, self)));
}

void linalg_cond(const Call& call) {
  call.give(0, condition(call, *call.get<Tensor>(0),
                         call.get<std::optional<Scalar>>(1).value_or(Scalar(2)).to_double()));
}

void linalg_cond_word(const Call& call) {
  static constinit const LazyOp<std::tuple<Tensor, Tensor>(const Tensor&, bool)> inverse(
      "aten::linalg_inv_ex");
  const Tensor self = *call.get<Tensor>(0);
  check_square_matrices(call.op(), "self", self);
  const auto word = call.get<std::string_view>(1);
  const NormedDims normed = normed_dims(call, self, Dims{-2, -1}, false, std::nullopt);
  call.give(0, call_mul(of_word(call, self, word, normed),
                        of_word(call, std::get<0>(inverse(self, false)), word, normed)));
}

}  // namespace tenon::kernels::ops
