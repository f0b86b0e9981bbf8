// SPDX-License-Identifier: Apache-2.0
// The results of aten::linalg_cholesky_ex, its gradient, and operators that use its factor.
#include "kernels/ops/linalg/linalg_cholesky.h"

#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/linalg/matrices.h"

namespace tenon::kernels::ops {

CholeskyFactor cholesky_factor_of(const Call& call) {
  const Tensor self = *call.get<Tensor>(0);
  check_square_matrices(call.op(), "self", self);
  const Dims strides = column_major_strides(self.sizes());
  return {result_for(call, self.sizes(), self.dtype(), self.device(), strides.begin(), 0),
          result_for(call, batch_sizes(self.sizes()), Dtype::I32, self.device(), nullptr, 1)};
}

void linalg_cholesky_meta(const Call& call) {
  CholeskyFactor results = cholesky_factor_of(call);
  if (!call.form.is_functional()) return;
  call.give(0, std::move(results.factor));
  call.give(1, std::move(results.info));
}

void linalg_cholesky(const Call& call) {
  static constinit const LazyOp<std::tuple<Tensor, Tensor>(const Tensor&, bool, bool)> factor(
      "aten::linalg_cholesky_ex");
  call.give(0, std::get<0>(factor(*call.get<Tensor>(0), call.get<bool>(1), true)));
}

// https://arxiv.org/abs/1602.07527 (Murray), for the lower factor.
void linalg_cholesky_backward(const Call& call) {
  const bool upper = call.get<bool>(2);
  const Tensor grad = upper ? call_mH(*call.get<Tensor>(0)) : *call.get<Tensor>(0);
  const Tensor factor = upper ? call_mH(*call.get<Tensor>(1)) : *call.get<Tensor>(1);
  const Tensor turned = call_mH(factor);
  const Tensor product = call_matmul(turned, call_tril(grad, 0));
  // The lower triangle with half of the diagonal.
  const Tensor below = call_tril(product, -1);
  const Tensor diagonal = call_diag_embed(call_mul(call_diagonal(product, 0, -2, -1), Scalar(0.5)));
  const Tensor inner = call_solve_triangular(turned, call_add(below, diagonal), true, true);
  const Tensor outer = call_solve_triangular(factor, inner, false, false);
  call.give(0, call_mul(call_add(outer, call_mH(outer)), Scalar(0.5)));
}

void cholesky_solve(const Call& call) {
  const Tensor self = *call.get<Tensor>(0), factor = *call.get<Tensor>(1);
  const bool upper = call.get<bool>(2);
  check_square_matrices(call.op(), "input2", factor);
  check_matrices(call.op(), "self", self);
  const Tensor first = upper ? call_mH(factor) : factor, second = call_mH(first);
  call.give(0, call_solve_triangular(second, call_solve_triangular(first, self, false, true), true,
                                     true));
}

void cholesky_inverse(const Call& call) {
  static constinit const LazyOp<Tensor(int64_t, std::optional<Dtype>, std::optional<Layout>,
                                       std::optional<Device>, std::optional<bool>)>
      eye("aten::eye");
  const Tensor factor = *call.get<Tensor>(0);
  check_square_matrices(call.op(), "self", factor);
  const bool upper = call.get<bool>(1);
  const Tensor ones =
      eye(factor.size(-1), factor.dtype(), std::nullopt, factor.device(), std::nullopt);
  const Tensor first = upper ? call_mH(factor) : factor;
  const Tensor inverse = call_solve_triangular(first, ones, false, true);
  // Transposed and conjugated, which does not change it, to make it column-major.
  call.give(0, call_mH(call_matmul(call_mH(inverse), inverse)));
}

}  // namespace tenon::kernels::ops
