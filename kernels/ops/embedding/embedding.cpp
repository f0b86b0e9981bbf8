// SPDX-License-Identifier: Apache-2.0
// Implements aten::embedding and its gradient by calling other operators.
#include "kernels/ops/embedding/embedding.h"

#include "kernels/common/indexing.h"
#include "kernels/ops/calls.h"
#include "kernels/ops/factories/factory.h"

namespace tenon::kernels::ops {
namespace {

void check_indices(const Call& call, const Tensor& indices) {
  if (indices.dtype() != Dtype::I64 && indices.dtype() != Dtype::I32) {
    fail_argument(call.op(), "indices", "have dtype int64 or int32", indices.dtype());
  }
}

// Divides each row by the number of occurrences of its index.
Tensor scaled(const Tensor& rows, TensorList indices, int64_t count) {
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> div("aten::div.Tensor");
  const FactoryOptions options = options_like(kind_of(rows), {});
  Tensor one = call_empty({}, options);
  call_fill(one, Scalar(1));
  const Tensor counts = call_index_put(call_zeros(Dims{count}, options), indices, one, true);
  return div(rows, call_unsqueeze(call_index(counts, indices), 1));
}

}  // namespace

void embedding(const Call& call) {
  const auto weight = call.get<Tensor>(0);
  const auto indices = call.get<Tensor>(1);
  if (weight->ndim() != 2) {
    fail_argument(call.op(), "weight", "a matrix (2 dims)", weight->sizes());
  }
  check_indices(call, *indices);
  check_in_dim(call.op(), "indices", *indices, weight->sizes()[0]);
  tenon_tensor* const list[] = {indices->get()};
  call.give(0, call_index(weight, TensorList(list, 1)));
}

void embedding_dense_backward(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, const Scalar&)> eq("aten::eq.Scalar");
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Scalar&)> masked_fill(
      "aten::masked_fill.Scalar");
  const auto grad = call.get<Tensor>(0);
  const auto given = call.get<Tensor>(1);
  check_indices(call, *given);
  const auto count = call.get<int64_t>(2);
  const auto padding = call.get<int64_t>(3);
  if (count < 0) fail_argument(call.op(), "num_weights", ">= 0", count);
  check_in_dim(call.op(), "indices", *given, count);
  const int64_t width = grad->sizes().empty() ? 1 : grad->sizes().back();
  const Tensor indices = call_reshape(given, Dims{numel_of(*given)});
  Tensor rows = call_reshape(grad, Dims{numel_of(*given), width});
  tenon_tensor* const list[] = {indices.get()};
  if (call.get<bool>(4)) rows = scaled(rows, TensorList(list, 1), count);
  if (padding >= 0) {
    rows = masked_fill(rows, call_unsqueeze(eq(indices, Scalar(padding)), 1), Scalar(0));
  }
  const Tensor zeros = call_zeros(Dims{count, width}, options_like(kind_of(*grad), {}));
  call.give(0, call_index_put(zeros, TensorList(list, 1), rows, true));
}

}  // namespace tenon::kernels::ops
