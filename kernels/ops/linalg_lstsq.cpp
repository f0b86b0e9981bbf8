// SPDX-License-Identifier: Apache-2.0
// What aten::linalg_lstsq asks of its arguments, and its gradients.
#include "kernels/ops/linalg_lstsq.h"

#include <limits>
#include <string_view>

#include "kernels/common/promotion.h"
#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/matrices.h"

namespace tenon::kernels::ops {

LeastSquares least_squares_of(const Call& call) {
  LeastSquares problem{*call.get<Tensor>(0), *call.get<Tensor>(1), false, false, true, true, 0};
  check_matrices(call.op(), "self", problem.a);
  check_dtype_of(call.op(), "b", problem.b.dtype(), "self", problem.a.dtype());
  const auto driver = call.get<std::optional<std::string_view>>(3).value_or("gelsy");
  if (driver != "gels" && driver != "gelsy" && driver != "gelsd" && driver != "gelss") {
    fail_argument(call.op(), "driver", "\"gels\", \"gelsy\", \"gelsd\" or \"gelss\"",
                  std::string(driver));
  }
  problem.has_singular_values = driver == "gelsd" || driver == "gelss";
  problem.has_rank = driver != "gels";
  problem.has_residuals = driver != "gelsy";
  const double share =
      (to_real(problem.a.dtype()) == Dtype::F64 ? std::numeric_limits<double>::epsilon()
                                                : std::numeric_limits<float>::epsilon()) *
      static_cast<double>(std::max(problem.a.size(-1), problem.a.size(-2)));
  problem.rcond = call.get<std::optional<double>>(2).value_or(share);
  problem.is_vector =
      problem.b.ndim() + 1 == problem.a.ndim() &&
      std::ranges::equal(problem.b.sizes(), problem.a.sizes().first(problem.a.sizes().size() - 1));
  if (problem.is_vector) problem.b = column_alias(problem.b);
  if (problem.b.ndim() < 2 || problem.b.size(-2) != problem.a.size(-2)) {
    fail(TENON_ERROR_INVALID_ARGUMENT, {call.op(), ": b must have as many rows as self, got sizes ",
                                        problem.a.sizes(), " and ", problem.b.sizes()});
  }
  const Dims batch =
      broadcast(call.op(), batch_sizes(problem.a.sizes()), batch_sizes(problem.b.sizes()));
  const auto stretched = [&](const Tensor& tensor) {
    Dims sizes = batch;
    sizes.push_back(tensor.size(-2));
    sizes.push_back(tensor.size(-1));
    return expanded_alias(tensor, sizes);
  };
  problem.a = stretched(problem.a);
  problem.b = stretched(problem.b);
  return problem;
}

void linalg_lstsq_meta(const Call& call) {
  fail(TENON_ERROR_DATA_DEPENDENT,
       {call.op(), ": how many residuals there are depends on data, got a tensor without"});
}

void linalg_lstsq_backward_b(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, std::optional<double>, std::optional<double>,
                                       bool)>
      pinv("aten::linalg_pinv.atol_rtol_float");
  const Tensor a = *call.get<Tensor>(1), b = *call.get<Tensor>(2);
  Tensor grad = *call.get<Tensor>(0);
  const bool is_vector = grad.ndim() + 1 == a.ndim();
  if (is_vector) grad = call_unsqueeze(grad, -1);
  const Tensor of_b = call_matmul(call_mH(pinv(a, std::nullopt, std::nullopt, false)), grad);
  call.give(0, is_vector ? call_squeeze(of_b, -1) : of_b);
}

void linalg_lstsq_backward_a(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, std::optional<double>, std::optional<double>,
                                       bool)>
      pinv("aten::linalg_pinv.atol_rtol_float");
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Tensor&)> backward(
      "tenon::linalg_pinv_backward");
  const Tensor a = *call.get<Tensor>(1);
  Tensor grad = *call.get<Tensor>(0), b = *call.get<Tensor>(2);
  if (grad.ndim() + 1 == a.ndim()) {
    grad = call_unsqueeze(grad, -1);
    b = call_unsqueeze(b, -1);
  }
  call.give(0,
            backward(call_matmul(grad, call_mH(b)), pinv(a, std::nullopt, std::nullopt, false), a));
}

}  // namespace tenon::kernels::ops
