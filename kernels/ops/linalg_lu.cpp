// SPDX-License-Identifier: Apache-2.0
// The results of aten::linalg_lu_factor_ex, and what aten::linalg_lu_factor calls.
#include "kernels/ops/linalg_lu.h"

#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/matrices.h"

namespace tenon::kernels::ops {

LuFactors lu_factors_of(const Call& call) {
  const Tensor a = *call.get<Tensor>(0);
  check_matrices(call.op(), "A", a);
  if (!call.get<bool>(1)) {
    fail(TENON_ERROR_NOT_SUPPORTED, {call.op(), ": pivot must be True, got False"});
  }
  const Dims strides = column_major_strides(a.sizes());
  const int64_t pivots = std::min(a.size(-1), a.size(-2));
  return {result_for(call, a.sizes(), a.dtype(), a.device(), strides.begin(), 0),
          result_for(call, batch_sizes(a.sizes(), {pivots}), Dtype::I32, a.device(), nullptr, 1),
          result_for(call, batch_sizes(a.sizes()), Dtype::I32, a.device(), nullptr, 2)};
}

void linalg_lu_factor_meta(const Call& call) {
  LuFactors results = lu_factors_of(call);
  if (!call.form.is_functional()) return;
  call.give(0, std::move(results.lu));
  call.give(1, std::move(results.pivots));
  call.give(2, std::move(results.info));
}

void linalg_lu_factor(const Call& call) {
  static constinit const LazyOp<std::tuple<Tensor, Tensor, Tensor>(const Tensor&, bool, bool)>
      factor("aten::linalg_lu_factor_ex");
  auto [lu, pivots, info] = factor(*call.get<Tensor>(0), call.get<bool>(1), true);
  call.give(0, std::move(lu));
  call.give(1, std::move(pivots));
}

void linalg_lu_factor_backward(const Call& call) {
  fail(TENON_ERROR_NOT_SUPPORTED,
       {call.op(),
        ": the gradient of packed factors is not there; linalg_solve and linalg_det have theirs"});
}

}  // namespace tenon::kernels::ops
