// SPDX-License-Identifier: Apache-2.0
// Implements gradients of aten::index and aten::index_put by calling other operators.
#include "kernels/ops/indexing/index_backward.h"

#include "kernels/ops/calls.h"
#include "kernels/ops/factories/factory.h"

namespace tenon::kernels::ops {

void index_backward(const Call& call) {
  const auto grad = call.get<Tensor>(0);
  const Tensor zeros = call_zeros(call.get<Sizes>(1), options_like(kind_of(*grad), {}));
  call.give(0, call_index_put(zeros, call.get<TensorList>(2), grad, true));
}

void index_put_backward(const Call& call) {
  const auto grad = call.get<Tensor>(0);
  if (call.get<bool>(2)) return call.give(0, *grad);
  const Tensor zero = call_zeros({}, options_like(kind_of(*grad), {}));
  call.give(0, call_index_put(grad, call.get<TensorList>(1), zero, false));
}

}  // namespace tenon::kernels::ops
