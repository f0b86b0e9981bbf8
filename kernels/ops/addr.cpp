// SPDX-License-Identifier: Apache-2.0
// What aten::addr calls.
#include "kernels/ops/addr.h"

#include "kernels/common/promotion.h"
#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"

namespace tenon::kernels::ops {

void addr(const Call& call) {
  const Tensor a = *call.get<Tensor>(1), b = *call.get<Tensor>(2);
  if (a.ndim() != 1) fail_argument(call.op(), "vec1", "a vector (1 dim)", a.sizes());
  if (b.ndim() != 1) fail_argument(call.op(), "vec2", "a vector (1 dim)", b.sizes());
  const Tensor self = *call.get<Tensor>(0);
  Tensor product = call_mul(call_unsqueeze(a, 1), b);
  ResultType type;
  type.add(self.info());
  type.add(product.dtype(), true, false);
  const Dtype dtype = type.get();
  const auto in_common = [&](const Tensor& tensor) {
    return tensor.dtype() == dtype ? tensor : cast(tensor, dtype);
  };
  give_or_write(call, scaled_sum(call, in_common(self), in_common(product), call.get<Scalar>(3),
                                 call.get<Scalar>(4)));
}

}  // namespace tenon::kernels::ops
