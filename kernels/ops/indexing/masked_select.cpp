// SPDX-License-Identifier: Apache-2.0
// Implements aten::masked_select and its gradient by calling other operators.
#include "kernels/ops/indexing/masked_select.h"

#include "kernels/ops/calls.h"
#include "kernels/ops/factories/factory.h"

namespace tenon::kernels::ops {

void masked_select(const Call& call) {
  const auto self = call.get<Tensor>(0);
  const auto mask = call.get<Tensor>(1);
  if (mask->dtype() != Dtype::Bool) {
    fail_argument(call.op(), "mask", "a bool tensor", mask->dtype());
  }
  Dims sizes = broadcast(call.op(), self->sizes(), mask->sizes());
  if (sizes.empty()) sizes.push_back(1);
  const Tensor all = call_expand(mask, sizes);
  tenon_tensor* const indices[] = {all.get()};
  call.give(0, call_index(call_expand(self, sizes), TensorList(indices, 1)));
}

void masked_select_backward(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Tensor&)> scatter(
      "aten::masked_scatter");
  const auto grad = call.get<Tensor>(0);
  const auto mask = call.get<Tensor>(2);
  const Dims sizes = broadcast(call.op(), call.get<Sizes>(1), mask->sizes());
  call.give(0, scatter(call_zeros(sizes, options_like(kind_of(*grad), {})), mask, grad));
}

}  // namespace tenon::kernels::ops
