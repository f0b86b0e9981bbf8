// SPDX-License-Identifier: Apache-2.0
// Implements aten::select_backward by calling other operators.
#include "kernels/ops/views/select_backward.h"

#include "kernels/ops/calls.h"
#include "kernels/ops/factories/factory.h"

namespace tenon::kernels::ops {

void select_backward(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, int64_t)> select("aten::select.int");
  const auto grad = call.get<Tensor>(0);
  const Tensor whole = call_zeros(call.get<Sizes>(1), options_like(kind_of(*grad), {}));
  Tensor part = select(whole, call.get<int64_t>(2), call.get<int64_t>(3));
  call_copy(part, grad);
  call.give(0, whole);
}

}  // namespace tenon::kernels::ops
