// SPDX-License-Identifier: Apache-2.0
// Implements aten::where by calling other operators.
#include "kernels/ops/indexing/where.h"

#include "kernels/common/call.h"
#include "kernels/common/check.h"
#include "kernels/common/maths/integer_range.h"
#include "kernels/common/registrar.h"

namespace tenon::kernels::ops {
namespace {

// Returns argument k as a tensor. An integer must fit the other argument's dtype, except that
// integers from -255 wrap for uint8.
Tensor tensor_or_number(const Call& call, int k) {
  if (call.args[k].tag == TENON_TAG_TENSOR) return Tensor::retain(call.tensor(k));
  const Scalar number(call.args[k]);
  const int other = 3 - k;
  if (call.args[other].tag == TENON_TAG_TENSOR) {
    const Dtype dtype = TensorRef(call.tensor(other))->dtype();
    const bool wraps = dtype == Dtype::U8 && call.args[k].as.i >= -255;
    const int side = beyond(call.args[k], dtype);
    if (side > 0 || (side < 0 && !wraps)) {
      fail(TENON_ERROR_INVALID_ARGUMENT,
           {call.op(), ": ", call.form.names[k], " must fit into ", dtype, ", got ", number});
    }
  }
  return number_tensor(number);
}

}  // namespace

void where_numbers(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Tensor&)> where(
      "aten::where.self");
  call.give(0, where(*call.get<Tensor>(0), tensor_or_number(call, 1), tensor_or_number(call, 2)));
}

void where_indices(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, int64_t)> unsqueeze("aten::unsqueeze");
  static constinit const LazyOp<Tensor(const Tensor&)> nonzero("aten::nonzero");
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, int64_t)> select("aten::select.int");
  Tensor condition = *call.get<Tensor>(0);
  if (condition.ndim() == 0) condition = unsqueeze(condition, 0);
  const Tensor rows = nonzero(condition);
  std::vector<Tensor> indices;
  for (int64_t dim = 0; dim < condition.ndim(); ++dim) indices.push_back(select(rows, 1, dim));
  call.results[0] = Value(indices).release();
}

}  // namespace tenon::kernels::ops
