// SPDX-License-Identifier: Apache-2.0
// Argument checks of aten::linalg_lstsq, and its gradients.
#include "kernels/ops/linalg/linalg_lstsq.h"

#include <limits>
#include <string_view>

#include "kernels/common/promotion.h"
#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/linalg/matrices.h"

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
       {call.op(), ": the number of residuals depends on data, got a tensor without data"});
}

namespace {

constinit const LazyOp<Tensor(const Tensor&, std::optional<double>, std::optional<double>, bool)>
    pinv("aten::linalg_pinv.atol_rtol_float");

// The arguments of both gradients. A vector is a matrix of one column. Gradients have the sizes of
// the expanded batch and are summed to the original sizes.
struct LeastSquaresGrad {
  Tensor a, b, solution;
  std::optional<Tensor> of_solution, of_residuals;
  bool is_vector;

  explicit LeastSquaresGrad(const Call& call)
      : a(*call.get<Tensor>(2)),
        b(*call.get<Tensor>(3)),
        solution(*call.get<Tensor>(4)),
        of_solution(call.get<std::optional<Tensor>>(0)),
        of_residuals(call.get<std::optional<Tensor>>(1)),
        is_vector(solution.ndim() + 1 == a.ndim()) {
    if (of_residuals && of_residuals->numel() == 0) of_residuals.reset();
    if (!is_vector) return;
    b = call_unsqueeze(b, -1);
    solution = call_unsqueeze(solution, -1);
    if (of_solution) of_solution = call_unsqueeze(*of_solution, -1);
  }
  // The gradient of |A X - B|^2 by B: X is optimal, so that its first-order change has no effect.
  Tensor of_missed() const {
    const Tensor missed = call_sub(b, call_matmul(a, solution));
    return call_mul(missed, call_mul(call_unsqueeze(*of_residuals, -2), Scalar(2)));
  }
};

Tensor sum_of_both(const std::optional<Tensor>& first, const std::optional<Tensor>& second,
                   const Tensor& like) {
  if (first && second) return call_add(*first, *second);
  if (first) return *first;
  return second ? *second : call_mul(like, Scalar(0));
}

}  // namespace

void linalg_lstsq_backward_b(const Call& call) {
  const LeastSquaresGrad grad(call);
  std::optional<Tensor> by_solution, by_residuals;
  if (grad.of_solution) {
    const Tensor inverse = pinv(grad.a, std::nullopt, std::nullopt, false);
    by_solution = call_matmul(call_mH(inverse), *grad.of_solution);
  }
  if (grad.of_residuals) by_residuals = grad.of_missed();
  const Tensor of_b = sum_of_both(by_solution, by_residuals, grad.b);
  call.give(0, grad.is_vector ? call_squeeze(of_b, -1) : of_b);
}

void linalg_lstsq_backward_a(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Tensor&)> backward(
      "tenon::linalg_pinv_backward");
  const LeastSquaresGrad grad(call);
  std::optional<Tensor> by_solution, by_residuals;
  if (grad.of_solution) {
    by_solution = backward(call_matmul(*grad.of_solution, call_mH(grad.b)),
                           pinv(grad.a, std::nullopt, std::nullopt, false), grad.a);
  }
  if (grad.of_residuals) {
    by_residuals = call_neg(call_matmul(grad.of_missed(), call_mH(grad.solution)));
  }
  call.give(0, sum_of_both(by_solution, by_residuals, grad.a));
}

}  // namespace tenon::kernels::ops
