// SPDX-License-Identifier: Apache-2.0
// Calls of operators through the dispatcher.
#include "kernels/ops/arithmetic.h"

#include "kernels/common/promotion.h"
#include "kernels/common/shape.h"
#include "kernels/common/shape_rules.h"
#include "kernels/ops/symbolic/calls.h"

namespace tenon::kernels {

Tensor call_abs(const Tensor& self) {
  static constinit const LazyOp<Tensor(const Tensor&)> op("aten::abs");
  return op(self);
}

Tensor call_conj(const Tensor& self) {
  static constinit const LazyOp<Tensor(const Tensor&)> op("aten::conj");
  return op(self);
}

Tensor call_real(const Tensor& self) {
  static constinit const LazyOp<Tensor(const Tensor&)> op("aten::real");
  return op(self);
}

Tensor call_neg(const Tensor& self) {
  static constinit const LazyOp<Tensor(const Tensor&)> op("aten::neg");
  return op(self);
}

Tensor call_sqrt(const Tensor& self) {
  static constinit const LazyOp<Tensor(const Tensor&)> op("aten::sqrt");
  return op(self);
}

Tensor call_reciprocal(const Tensor& self) {
  static constinit const LazyOp<Tensor(const Tensor&)> op("aten::reciprocal");
  return op(self);
}

Tensor call_isnan(const Tensor& self) {
  static constinit const LazyOp<Tensor(const Tensor&)> op("aten::isnan");
  return op(self);
}

Tensor call_logical_not(const Tensor& self) {
  static constinit const LazyOp<Tensor(const Tensor&)> op("aten::logical_not");
  return op(self);
}

Tensor call_add(const Tensor& self, const Tensor& other, const Scalar& alpha) {
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Scalar&)> op(
      "aten::add.Tensor");
  return op(self, other, alpha);
}

Tensor call_add(const Tensor& self, const Scalar& other) {
  static constinit const LazyOp<Tensor(const Tensor&, const Scalar&, const Scalar&)> op(
      "aten::add.Scalar");
  return op(self, other, Scalar(1));
}

Tensor call_rsub(double other, const Tensor& self) {
  static constinit const LazyOp<Tensor(const Tensor&, const Scalar&, const Scalar&)> op(
      "aten::rsub.Scalar");
  return op(self, Scalar(other), Scalar(1));
}

Tensor call_clamp_min(const Tensor& self, double bound) {
  static constinit const LazyOp<Tensor(const Tensor&, const Scalar&)> op("aten::clamp_min");
  return op(self, Scalar(bound));
}

Tensor call_sub(const Tensor& self, const Tensor& other) {
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Scalar&)> op(
      "aten::sub.Tensor");
  return op(self, other, Scalar(1));
}

Tensor call_mul(const Tensor& self, const Tensor& other) {
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> op("aten::mul.Tensor");
  return op(self, other);
}

Tensor call_mul(const Tensor& self, const Scalar& other) {
  static constinit const LazyOp<Tensor(const Tensor&, const Scalar&)> op("aten::mul.Scalar");
  return op(self, other);
}

Tensor call_div(const Tensor& self, const Tensor& other) {
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> op("aten::div.Tensor");
  return op(self, other);
}

Tensor call_div(const Tensor& self, const Scalar& other) {
  static constinit const LazyOp<Tensor(const Tensor&, const Scalar&)> op("aten::div.Scalar");
  return op(self, other);
}

Tensor call_eq(const Tensor& self, const Tensor& other) {
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> op("aten::eq.Tensor");
  return op(self, other);
}

Tensor call_eq(const Tensor& self, const Scalar& other) {
  static constinit const LazyOp<Tensor(const Tensor&, const Scalar&)> op("aten::eq.Scalar");
  return op(self, other);
}

Tensor call_ne(const Tensor& self, const Tensor& other) {
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> op("aten::ne.Tensor");
  return op(self, other);
}

Tensor call_pow(const Tensor& self, const Scalar& exponent) {
  static constinit const LazyOp<Tensor(const Tensor&, const Scalar&)> op("aten::pow.Tensor_Scalar");
  return op(self, exponent);
}

Tensor call_where(const Tensor& condition, const Tensor& self, const Tensor& other) {
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Tensor&)> op(
      "aten::where.self");
  return op(condition, self, other);
}

Tensor call_masked_fill(const Tensor& self, const Tensor& mask, const Scalar& value) {
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Scalar&)> op(
      "aten::masked_fill.Scalar");
  return op(self, mask, value);
}

Tensor call_mm(const Tensor& self, const Tensor& other) {
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> op("aten::mm");
  return op(self, other);
}

Tensor call_bmm(const Tensor& self, const Tensor& other) {
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> op("aten::bmm");
  return op(self, other);
}

Tensor call_matmul(const Tensor& self, const Tensor& other) {
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> op("aten::matmul");
  return op(self, other);
}

Tensor call_sum(const Tensor& self, Sizes dims, bool keepdim, std::optional<Dtype> dtype) {
  static constinit const LazyOp<Tensor(const Tensor&, std::optional<Sizes>, bool,
                                       std::optional<Dtype>)>
      op("aten::sum.dim_IntList");
  return op(self, dims, keepdim, dtype);
}

Tensor call_sum_of_dim(const Tensor& self, int64_t dim, bool keepdim) {
  return call_sum(self, Sizes(&dim, 1), keepdim);
}

Tensor call_amax(const Tensor& self, Sizes dims, bool keepdim) {
  static constinit const LazyOp<Tensor(const Tensor&, Sizes, bool)> op("aten::amax");
  return op(self, dims, keepdim);
}

Tensor call_amin(const Tensor& self, Sizes dims, bool keepdim) {
  static constinit const LazyOp<Tensor(const Tensor&, Sizes, bool)> op("aten::amin");
  return op(self, dims, keepdim);
}

Tensor call_cumsum(const Tensor& self, int64_t dim) {
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, std::optional<Dtype>)> op(
      "aten::cumsum");
  return op(self, dim, std::nullopt);
}

Tensor call_squeeze(const Tensor& self, int64_t dim) {
  static constinit const LazyOp<Tensor(const Tensor&, int64_t)> op("aten::squeeze.dim");
  return op(self, dim);
}

Tensor call_select(const Tensor& self, int64_t dim, int64_t index) {
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, int64_t)> op("aten::select.int");
  return op(self, dim, index);
}

Tensor call_transpose(const Tensor& self, int64_t dim0, int64_t dim1) {
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, int64_t)> op("aten::transpose.int");
  return op(self, dim0, dim1);
}

Tensor call_permute(const Tensor& self, Sizes dims) {
  static constinit const LazyOp<Tensor(const Tensor&, Sizes)> op("aten::permute");
  return op(self, dims);
}

Tensor call_movedim(const Tensor& self, int64_t from, int64_t to) {
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, int64_t)> op("aten::movedim.int");
  return op(self, from, to);
}

Tensor call_diagonal(const Tensor& self, int64_t offset, int64_t dim0, int64_t dim1) {
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, int64_t, int64_t)> op(
      "aten::diagonal");
  return op(self, offset, dim0, dim1);
}

Tensor call_contiguous(const Tensor& self) {
  static constinit const LazyOp<Tensor(const Tensor&, MemoryFormat)> op("aten::contiguous");
  return op(self, MemoryFormat::Contiguous);
}

Tensor call_cat(const std::vector<Tensor>& tensors, int64_t dim) {
  static constinit const LazyOp<Tensor(TensorList, int64_t)> op("aten::cat");
  return op(TensorList(tensors), dim);
}

Tensor call_stack(const std::vector<Tensor>& tensors, int64_t dim) {
  static constinit const LazyOp<Tensor(TensorList, int64_t)> op("aten::stack");
  return op(TensorList(tensors), dim);
}

Tensor call_gather(const Tensor& self, int64_t dim, const Tensor& index) {
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, const Tensor&, bool)> op(
      "aten::gather");
  return op(self, dim, index, false);
}

Tensor call_mT(const Tensor& self) { return call_transpose(self, -2, -1); }

Tensor call_mH(const Tensor& self) { return call_conj(call_mT(self)); }

Tensor call_arange(int64_t count, const Tensor& like) {
  static constinit const LazyOp<Tensor(const Scalar&, std::optional<Dtype>, std::optional<Layout>,
                                       std::optional<Device>, std::optional<bool>)>
      op("aten::arange");
  return op(Scalar(count), Dtype::I64, std::nullopt, like.device(), std::nullopt);
}

std::tuple<Tensor, Tensor> call_sort(const Tensor& self, int64_t dim, bool descending) {
  static constinit const LazyOp<std::tuple<Tensor, Tensor>(const Tensor&, std::optional<bool>,
                                                           int64_t, bool)>
      op("aten::sort.stable");
  return op(self, true, dim, descending);
}

Tensor scaled_sum(const Call& call, const Tensor& self, Tensor product, const Scalar& beta,
                  const Scalar& alpha) {
  const Dtype dtype = product.dtype();
  if (self.dtype() != dtype) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": self must be ", dtype, " like the factors, got ", self.dtype()});
  }
  SymbolicDims common = words_of(self);
  const SymbolicDims wanted = words_of(product);
  if (rules::broadcast_into(common, SymbolicSizes(wanted)) >= 0 || !are_equal(common, wanted)) {
    fail(TENON_ERROR_INVALID_ARGUMENT, {call.op(), ": self must broadcast to the product's sizes ",
                                        text_of(wanted), ", got ", text_of(words_of(self))});
  }
  // For integers, the factors are truncated to integers.
  const bool is_whole = is_bool_or_integral(dtype);
  const Scalar times = is_whole ? Scalar(alpha.to_int()) : alpha,
               own = is_whole ? Scalar(beta.to_int()) : beta;
  if (times.to_complex() != 1.0) product = call_mul(product, times);
  // If beta is 0, self is ignored: infinities and NaN in it do not propagate.
  return own.to_bool() ? call_add(product, self, own) : product;
}

void check_inexact(const char* op, const char* argument, Dtype dtype) {
  if (is_bool_or_integral(dtype)) fail_dtype(op, argument, dtype, "floating or complex");
}

void check_floating(const char* op, const char* argument, Dtype dtype) {
  if (!has(kFloats, static_cast<tenon_dtype>(dtype))) fail_dtype(op, argument, dtype, "floating");
}

void give_or_write(const Call& call, Tensor result) {
  if (call.form.written != 0) return call.give(0, std::move(result));
  static constinit const LazyOp<void(const Tensor&, const Tensor&, bool)> copy("aten::copy_");
  const Tensor self = *call.get<Tensor>(0);
  if (!are_equal(words_of(self), words_of(result))) {
    fail_argument(call.op(), call.form.names[0],
                  "have the sizes of the result to be written in place", text_of(words_of(self)));
  }
  if (!can_cast(result.dtype(), self.dtype())) {
    fail_argument(call.op(), call.form.names[0],
                  std::string("have a dtype that can hold ") + name_of(result.dtype()),
                  self.dtype());
  }
  copy(self, result, false);
}

std::vector<Tensor> tensors_of(TensorList list) {
  std::vector<Tensor> tensors;
  for (int64_t k = 0; k < list.size(); ++k) tensors.push_back(*list[k]);
  return tensors;
}

}  // namespace tenon::kernels
