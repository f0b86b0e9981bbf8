// SPDX-License-Identifier: Apache-2.0
// Implements determinants by other operators, and their gradients.
#include "kernels/ops/linalg/linalg_det.h"

#include "kernels/common/promotion.h"
#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/linalg/matrices.h"

namespace tenon::kernels::ops {
namespace {

constinit const LazyOp<std::tuple<Tensor, Tensor, Tensor>(const Tensor&, bool, bool)> factors(
    "aten::linalg_lu_factor_ex");
constinit const LazyOp<std::tuple<Tensor, Tensor, Tensor>(const Tensor&)> det_of(
    "aten::_linalg_det");
constinit const LazyOp<std::tuple<Tensor, Tensor, Tensor, Tensor>(const Tensor&)> slogdet_of(
    "aten::_linalg_slogdet");
constinit const LazyOp<std::tuple<Tensor, Tensor>(const Tensor&, bool)> inverse(
    "aten::linalg_inv_ex");
constinit const LazyOp<Tensor(const Tensor&, int64_t, bool, std::optional<Dtype>)> product(
    "aten::prod.dim_int");

// Returns -1 for an odd number of row exchanges, otherwise 1.
Tensor sign_of_rows(const Tensor& pivots, Dtype dtype) {
  const Tensor moved = call_ne(pivots, call_add(call_arange(pivots.size(-1), pivots), Scalar(1)));
  const int64_t last[] = {-1};
  const Tensor count = cast(call_sum(moved, last), dtype);
  static constinit const LazyOp<Tensor(const Tensor&, const Scalar&)> rest(
      "aten::remainder.Scalar");
  return call_add(call_mul(rest(count, Scalar(2)), Scalar(-2)), Scalar(1));
}

// Returns the LU factors of a matrix, or of its transpose if that is column-major already: the
// determinant is the same.
std::tuple<Tensor, Tensor, Tensor> factors_of(const Tensor& a) {
  const bool turns = a.is_contiguous() && !is_complex(a.dtype());
  return factors(turns ? call_mT(a) : a, true, false);
}

Tensor last_dims_added(const Tensor& tensor) {
  return call_unsqueeze(call_unsqueeze(tensor, -1), -1);
}

}  // namespace

void linalg_det_of(const Call& call) {
  const Tensor a = *call.get<Tensor>(0);
  check_square_matrices(call.op(), "A", a);
  auto [lu, pivots, info] = factors_of(a);
  const Tensor diagonal = call_diagonal(lu, 0, -2, -1);
  const Tensor sign = sign_of_rows(pivots, to_real(a.dtype()));
  call.give(0, call_mul(product(diagonal, -1, false, std::nullopt), sign));
  call.give(1, std::move(lu));
  call.give(2, std::move(pivots));
}

void linalg_slogdet_of(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&)> sign("aten::sgn"), logarithm("aten::log");
  const Tensor a = *call.get<Tensor>(0);
  check_square_matrices(call.op(), "A", a);
  auto [lu, pivots, info] = factors_of(a);
  const Tensor diagonal = call_diagonal(lu, 0, -2, -1);
  const Tensor of_rows = sign_of_rows(pivots, to_real(a.dtype()));
  const int64_t last[] = {-1};
  call.give(0, call_mul(product(sign(diagonal), -1, false, std::nullopt), of_rows));
  call.give(1, call_sum(logarithm(call_abs(diagonal)), last));
  call.give(2, std::move(lu));
  call.give(3, std::move(pivots));
}

void linalg_det(const Call& call) { call.give(0, std::get<0>(det_of(*call.get<Tensor>(0)))); }

void linalg_slogdet(const Call& call) {
  auto [sign, log, lu, pivots] = slogdet_of(*call.get<Tensor>(0));
  call.give(0, std::move(sign));
  call.give(1, std::move(log));
}

void logdet(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&)> logarithm("aten::log");
  const Tensor a = *call.get<Tensor>(0);
  check_square_matrices(call.op(), "self", a);
  auto [sign, log, lu, pivots] = slogdet_of(a);
  // The sign of complex numbers has an angle; negative real numbers have no logarithm.
  call.give(0, call_add(logarithm(sign), log));
}

void linalg_det_backward(const Call& call) {
  const Tensor scaled = call_mul(*call.get<Tensor>(0), call_conj(*call.get<Tensor>(1)));
  const Tensor inverted = std::get<0>(inverse(*call.get<Tensor>(2), false));
  call.give(0, call_mul(last_dims_added(scaled), call_mH(inverted)));
}

void linalg_slogdet_backward(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&)> imaginary("aten::imag");
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> complex("aten::complex");
  const Tensor grad_sign = *call.get<Tensor>(0), sign = *call.get<Tensor>(2),
               a = *call.get<Tensor>(3);
  Tensor grad = *call.get<Tensor>(1);
  if (is_complex(a.dtype()))
    grad = complex(grad, call_neg(imaginary(call_mul(call_conj(grad_sign), sign))));
  const Tensor inverted = std::get<0>(inverse(a, false));
  call.give(0, call_mul(last_dims_added(grad), call_mH(inverted)));
}

}  // namespace tenon::kernels::ops
