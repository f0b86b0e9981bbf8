// SPDX-License-Identifier: Apache-2.0
// Implements aten::slice_backward by calling other operators.
#include "kernels/ops/views/slice_backward.h"

#include "kernels/ops/calls.h"
#include "kernels/ops/factories/factory.h"

namespace tenon::kernels::ops {

void slice_backward(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, std::optional<int64_t>,
                                       std::optional<int64_t>, int64_t)>
      slice("aten::slice.Tensor");
  const auto grad = call.get<Tensor>(0);
  const Tensor whole = call_zeros(call.get<Sizes>(1), options_like(kind_of(*grad), {}));
  Tensor part = slice(whole, call.get<int64_t>(2), call.get<int64_t>(3), call.get<int64_t>(4),
                      call.get<int64_t>(5));
  call_copy(part, grad);
  call.give(0, whole);
}

}  // namespace tenon::kernels::ops
