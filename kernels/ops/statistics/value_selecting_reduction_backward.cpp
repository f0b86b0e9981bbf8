// SPDX-License-Identifier: Apache-2.0
// Implements aten::value_selecting_reduction_backward by calling other operators.
#include "kernels/ops/statistics/value_selecting_reduction_backward.h"

#include "kernels/ops/calls.h"
#include "kernels/ops/factories/factory.h"

namespace tenon::kernels::ops {

void value_selecting_reduction_backward(const Call& call) {
  Tensor grad = Tensor::retain(call.tensor(0));
  Tensor indices = Tensor::retain(call.tensor(2));
  const Dims sizes(call.get<Sizes>(3));
  const int64_t dim = wrap_dim(call.op(), call.get<int64_t>(1), sizes.size());
  if (!sizes.empty() && !call.get<bool>(4)) {
    grad = call_unsqueeze(grad, dim);
    indices = call_unsqueeze(indices, dim);
  }
  Dims wanted = sizes;
  if (!wanted.empty() && indices.ndim() == wanted.size()) {
    wanted[dim] = indices.sizes()[static_cast<size_t>(dim)];
  }
  if (!(Dims(indices.sizes()) == wanted)) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": sizes must be those of indices except in dim ", dim, ", got ", Sizes(sizes),
          " for indices of sizes ", indices.sizes()});
  }
  const Tensor zeros = call_zeros(sizes, options_like(kind_of(grad), {}));
  call.give(0, call_scatter(zeros, dim, indices, grad));
}

}  // namespace tenon::kernels::ops
