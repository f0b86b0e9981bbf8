// SPDX-License-Identifier: Apache-2.0
// What aten::baddbmm and aten::addbmm call.
#include "kernels/ops/baddbmm.h"

#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"

namespace tenon::kernels::ops {
namespace {

Tensor products_of(const Call& call) {
  const Tensor a = *call.get<Tensor>(1), b = *call.get<Tensor>(2);
  if (a.ndim() != 3) fail_argument(call.op(), "batch1", "matrices (3 dims)", a.sizes());
  if (b.ndim() != 3 || b.size(0) != a.size(0) || b.size(1) != a.size(2)) {
    fail(TENON_ERROR_INVALID_ARGUMENT, {call.op(),
                                        ": batch2 must be as many matrices as batch1, with as many "
                                        "rows as those have columns, got sizes ",
                                        a.sizes(), " and ", b.sizes()});
  }
  return call_bmm(a, b);
}

}  // namespace

void baddbmm(const Call& call) {
  give_or_write(call, scaled_sum(call, *call.get<Tensor>(0), products_of(call), call.get<Scalar>(3),
                                 call.get<Scalar>(4)));
}

void addbmm(const Call& call) {
  const int64_t batches[] = {0};
  const Tensor products = products_of(call);
  const Tensor sum = call_sum(products, batches, false, products.dtype());
  give_or_write(
      call, scaled_sum(call, *call.get<Tensor>(0), sum, call.get<Scalar>(3), call.get<Scalar>(4)));
}

}  // namespace tenon::kernels::ops
