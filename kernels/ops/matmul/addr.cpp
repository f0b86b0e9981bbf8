// SPDX-License-Identifier: Apache-2.0
// Implements aten::addr by calling other operators.
#include "kernels/ops/matmul/addr.h"

#include "kernels/common/cast_out.h"
#include "kernels/common/promotion.h"
#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/symbolic/calls.h"

namespace tenon::kernels::ops {

void addr(const Call& call) {
  const Tensor a = *call.get<Tensor>(1), b = *call.get<Tensor>(2);
  if (a.ndim() != 1) fail_argument(call.op(), "vec1", "a vector (1 dim)", a.sizes());
  if (b.ndim() != 1) fail_argument(call.op(), "vec2", "a vector (1 dim)", b.sizes());
  const Tensor self = *call.get<Tensor>(0);
  ResultType type;
  for (const Tensor& tensor : {self, a, b}) type.add(kind_of(tensor));
  const Dtype dtype = type.get();
  const auto in_common = [&](const Tensor& tensor) {
    return tensor.dtype() == dtype ? tensor : cast(tensor, dtype);
  };
  const Tensor product = call_mul(call_unsqueeze(in_common(a), 1), in_common(b));
  Scalar beta = call.get<Scalar>(3), alpha = call.get<Scalar>(4);
  if (dtype == Dtype::Bool) beta = Scalar(beta.to_bool()), alpha = Scalar(alpha.to_bool());
  Tensor made = in_common(scaled_sum(call, in_common(self), product, beta, alpha));
  if (call.form.is_out()) return give_or_cast(call, std::move(made));
  give_or_write(call, std::move(made));
}

}  // namespace tenon::kernels::ops
