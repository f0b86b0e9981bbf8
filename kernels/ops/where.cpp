// SPDX-License-Identifier: Apache-2.0
// What aten::where calls.
#include "kernels/ops/where.h"

#include "kernels/common/call.h"
#include "kernels/common/registrar.h"

namespace tenon::kernels::ops {
namespace {

Tensor tensor_or_number(const Call& call, int k) {
  return call.args[k].tag == TENON_TAG_TENSOR ? Tensor::retain(call.tensor(k))
                                              : number_tensor(Scalar(call.args[k]));
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
