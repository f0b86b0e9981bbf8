// SPDX-License-Identifier: Apache-2.0
// What aten::ldexp calls.
#include "kernels/ops/ldexp.h"

#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"

namespace tenon::kernels::ops {

void ldexp(const Call& call) {
  static constinit const LazyOp<Tensor(const Scalar&, const Tensor&)> power("aten::pow.Scalar");
  give_or_write(call, call_mul(*call.get<Tensor>(0), power(Scalar(2.0), *call.get<Tensor>(1))));
}

}  // namespace tenon::kernels::ops
