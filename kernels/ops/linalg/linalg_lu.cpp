// SPDX-License-Identifier: Apache-2.0
// The results of aten::linalg_lu_factor_ex, and the implementation of aten::linalg_lu_factor.
#include "kernels/ops/linalg/linalg_lu.h"

#include <algorithm>

#include "kernels/common/promotion.h"
#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/linalg/matrices.h"

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

namespace {

Dims order_sizes(const Tensor& pivots, int64_t rows) {
  Dims sizes(pivots.sizes());
  sizes[sizes.size() - 1] = rows;
  return sizes;
}

}  // namespace

Tensor rows_of_factors(const Tensor& pivots, int64_t rows) {
  const Tensor places = call_add(cast(pivots, Dtype::I64), Scalar(-1));
  Tensor order = call_expand(call_arange(rows, pivots), order_sizes(pivots, rows));
  for (int64_t i = 0; i < pivots.size(-1); ++i) {
    const Tensor at = call_slice(places, -1, i, i + 1), here = call_slice(order, -1, i, i + 1);
    const Tensor there = call_gather(order, -1, at);
    const Tensor own = call_add(call_mul(at, Scalar(0)), Scalar(i));
    order = call_scatter(call_scatter(order, -1, at, here), -1, own, there);
  }
  return order;
}

// Computes the gradient of B = L U, and then undoes the row exchanges. For k pivots and gradients
// gL and gU of the lower and upper triangles, L1^H gB1 U1^H is the lower triangle of L1^H gL1 - gU2
// U2^H plus the upper one of gU1 U1^H - L2^H gL2, where 1 denotes the first k rows and columns and
// 2 all further ones.
void linalg_lu_factor_backward(const Call& call) {
  const Tensor grad = *call.get<Tensor>(0), lu = *call.get<Tensor>(1);
  const int64_t rows = lu.size(-2), columns = lu.size(-1), pivots = std::min(rows, columns);
  const auto part = [&](const Tensor& of, int64_t row, int64_t column) {
    return call_slice(call_slice(of, -2, row, row == 0 ? pivots : rows), -1, column,
                      column == 0 ? pivots : columns);
  };
  const Tensor lower = call_tril(part(lu, 0, 0), -1), of_lower = call_tril(part(grad, 0, 0), -1);
  const Tensor upper = call_mH(call_triu(part(lu, 0, 0), 0)), turned = call_mH(lower);
  Tensor below = call_add(call_matmul(turned, of_lower), of_lower);
  Tensor above = call_matmul(call_triu(part(grad, 0, 0), 0), upper);
  std::optional<Tensor> rest;
  if (columns > pivots) {
    const Tensor of_right = part(grad, 0, pivots);
    below = call_sub(below, call_matmul(of_right, call_mH(part(lu, 0, pivots))));
    rest = call_solve_triangular(turned, of_right, true, true, true);
  } else if (rows > pivots) {
    const Tensor of_foot = part(grad, pivots, 0);
    above = call_sub(above, call_matmul(call_mH(part(lu, pivots, 0)), of_foot));
    rest = call_solve_triangular(upper, of_foot, false, false);
  }
  const Tensor both = call_add(call_tril(below, -1), call_triu(above, 0));
  Tensor made = call_solve_triangular(turned, call_solve_triangular(upper, both, false, false),
                                      true, true, true);
  if (rest) made = call_cat({made, *rest}, columns > pivots ? -1 : -2);
  const Tensor order = call_unsqueeze(rows_of_factors(*call.get<Tensor>(2), rows), -1);
  call.give(0, call_scatter(made, -2, call_expand(order, made.sizes()), made));
}

}  // namespace tenon::kernels::ops
