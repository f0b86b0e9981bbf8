// SPDX-License-Identifier: Apache-2.0
// The results of aten::linalg_qr, and its gradient.
#include "kernels/ops/linalg/linalg_qr.h"

#include <string_view>

#include "kernels/common/promotion.h"
#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/linalg/matrices.h"

namespace tenon::kernels::ops {

QrFactors qr_factors_of(const Call& call) {
  const Tensor a = *call.get<Tensor>(0);
  check_matrices(call.op(), "A", a);
  const auto mode = call.get<std::string_view>(1);
  if (mode != "reduced" && mode != "complete" && mode != "r") {
    fail_argument(call.op(), "mode", "\"reduced\", \"complete\" or \"r\"", std::string(mode));
  }
  const int64_t rows = a.size(-2), columns = a.size(-1), small = std::min(rows, columns);
  const bool is_complete = mode == "complete", has_q = mode != "r";
  const Dims q_sizes = has_q ? batch_sizes(a.sizes(), {rows, is_complete ? rows : small}) : Dims{0};
  const Dims r_sizes = batch_sizes(a.sizes(), {is_complete ? rows : small, columns});
  const Dims r_strides = column_major_strides(r_sizes);
  const Dims q_strides = has_q ? column_major_strides(q_sizes) : Dims{1};
  return {result_for(call, q_sizes, a.dtype(), a.device(), q_strides.begin(), 0),
          result_for(call, r_sizes, a.dtype(), a.device(), r_strides.begin(), 1), is_complete,
          has_q};
}

void linalg_qr_meta(const Call& call) {
  QrFactors results = qr_factors_of(call);
  if (!call.form.is_functional()) return;
  call.give(0, std::move(results.q));
  call.give(1, std::move(results.r));
}

namespace {

// https://arxiv.org/abs/2009.10071 (Roberts, Roberts), for a square R.
Tensor gradient_of_square(const Tensor& q, const Tensor& r, const Tensor& grad_q,
                          const Tensor& grad_r) {
  const Tensor triangle =
      call_triu(call_sub(call_matmul(grad_r, call_mH(r)), call_matmul(call_mH(q), grad_q)), 0);
  const Tensor both = call_add(triangle, call_mH(triangle));
  // Both terms contain the diagonal, whose real part must count only once.
  const Tensor diagonal = call_diagonal(triangle, 0, -2, -1);
  const Tensor real = is_complex(q.dtype()) ? cast(call_real(diagonal), q.dtype()) : diagonal;
  const Tensor inner = call_sub(both, call_diag_embed(real));
  const Tensor left = call_add(grad_q, call_matmul(q, inner));
  return call_solve_triangular(call_mH(r), left, false, false);
}

}  // namespace

void linalg_qr_backward(const Call& call) {
  const Tensor grad_q = *call.get<Tensor>(0), grad_r = *call.get<Tensor>(1),
               q = *call.get<Tensor>(2), r = *call.get<Tensor>(3);
  const auto mode = call.get<std::string_view>(4);
  const int64_t columns = r.size(-1), rows = mode == "r" ? 0 : q.size(-2);
  if (mode == "r" || (mode == "complete" && rows > columns)) {
    fail(TENON_ERROR_NOT_SUPPORTED, {call.op(),
                                     ": mode must be \"reduced\" for a gradient of matrices with "
                                     "more rows than columns, got \"",
                                     mode, "\""});
  }
  if (rows >= columns) return call.give(0, gradient_of_square(q, r, grad_q, grad_r));
  // The columns to the right of the square are q times those of R.
  const auto part = [&](const Tensor& tensor, int64_t first, int64_t last) {
    return call_slice(tensor, -1, first, last);
  };
  const Tensor rest = part(grad_r, rows, columns);
  const Tensor y = call_matmul(q, part(r, rows, columns));
  const Tensor of_q = call_add(grad_q, call_matmul(y, call_mH(rest)));
  const Tensor of_square = gradient_of_square(q, part(r, 0, rows), of_q, part(grad_r, 0, rows));
  call.give(0, call_cat({of_square, call_matmul(q, rest)}, -1));
}

}  // namespace tenon::kernels::ops
