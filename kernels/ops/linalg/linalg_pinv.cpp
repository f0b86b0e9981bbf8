// SPDX-License-Identifier: Apache-2.0
// Implements aten::linalg_pinv and aten::linalg_matrix_rank by calling other operators, and
// gradients.
#include "kernels/ops/linalg/linalg_pinv.h"

#include <limits>
#include <string_view>

#include "kernels/common/promotion.h"
#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/calls.h"
#include "kernels/ops/factories/factory.h"
#include "kernels/ops/linalg/matrices.h"

namespace tenon::kernels::ops {
namespace {

constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> larger("aten::maximum");
constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> is_above("aten::gt.Tensor");
constinit const LazyOp<Tensor(const Tensor&, const OptionalTensor&, const OptionalTensor&, bool)>
    pinv_of("aten::linalg_pinv.atol_rtol_tensor");
constinit const LazyOp<Tensor(const Tensor&, const OptionalTensor&, const OptionalTensor&, bool)>
    rank_of("aten::linalg_matrix_rank.atol_rtol_tensor");

double epsilon_of(Dtype dtype) {
  return to_real(dtype) == Dtype::F64 ? std::numeric_limits<double>::epsilon()
                                      : std::numeric_limits<float>::epsilon();
}

Tensor number_like(const Tensor& self, double number) {
  Tensor made = call_empty({}, options_like(kind_of(self), {to_real(self.dtype()), {}, {}, {}}));
  call_fill(made, Scalar(number));
  return made;
}

// Returns the threshold for singular values of each matrix: the larger of atol and rtol times the
// largest value. If both are absent, rtol is max(m, n) times the machine epsilon.
Tensor least_value(const Tensor& self, const Tensor& largest, const std::optional<Tensor>& atol,
                   const std::optional<Tensor>& rtol) {
  const Tensor absolute = atol ? *atol : number_like(self, 0);
  Tensor relative;
  if (rtol) {
    relative = *rtol;
  } else {
    const double share =
        epsilon_of(self.dtype()) * static_cast<double>(std::max(self.size(-1), self.size(-2)));
    relative = number_like(self, share);
    if (atol) {
      static constinit const LazyOp<Tensor(const Tensor&, const Scalar&)> positive(
          "aten::gt.Scalar");
      relative = call_where(positive(absolute, Scalar(0)), number_like(self, 0), relative);
    }
  }
  return call_unsqueeze(larger(absolute, call_mul(relative, largest)), -1);
}

OptionalTensor given_number(const Tensor& self, std::optional<double> number, Tensor& kept) {
  if (!number) return nullptr;
  kept = number_like(self, *number);
  return kept;
}

Tensor sizes_of_values(const Tensor& self, bool hermitian) {
  static constinit const LazyOp<Tensor(const Tensor&, std::string_view)> eigenvalues(
      "aten::linalg_eigvalsh");
  static constinit const LazyOp<Tensor(const Tensor&, std::optional<std::string_view>)> singular(
      "aten::linalg_svdvals");
  return hermitian ? call_abs(eigenvalues(self, "L")) : singular(self, std::nullopt);
}

Tensor largest_of(const Tensor& sizes) {
  const int64_t last[] = {-1};
  return call_amax(sizes, last, false);
}

}  // namespace

void linalg_pinv(const Call& call) {
  static constinit const LazyOp<std::tuple<Tensor, Tensor, Tensor>(const Tensor&, bool,
                                                                   std::optional<std::string_view>)>
      svd("aten::linalg_svd");
  static constinit const LazyOp<std::tuple<Tensor, Tensor>(const Tensor&, std::string_view)> eigh(
      "aten::linalg_eigh");
  const Tensor self = *call.get<Tensor>(0);
  check_matrices(call.op(), "self", self);
  const bool hermitian = call.get<bool>(3);
  if (hermitian) check_square_matrices(call.op(), "self", self);
  if (numel_of(self) == 0) {
    return call.give(0, call_zeros(batch_sizes(self.sizes(), {self.size(-1), self.size(-2)}),
                                   options_like(kind_of(self), {})));
  }
  Tensor u, values, vh;
  if (hermitian) {
    std::tie(values, u) = eigh(self, "L");
    vh = call_mH(u);
  } else {
    std::tie(u, values, vh) = svd(self, false, std::nullopt);
  }
  const Tensor sizes = hermitian ? call_abs(values) : values;
  const Tensor least = least_value(self, largest_of(sizes), call.get<std::optional<Tensor>>(1),
                                   call.get<std::optional<Tensor>>(2));
  const Tensor inverted =
      call_where(is_above(sizes, least), call_reciprocal(values), number_like(self, 0));
  call.give(0, call_matmul(call_mul(call_mH(vh), call_unsqueeze(inverted, -2)), call_mH(u)));
}

void linalg_pinv_numbers(const Call& call) {
  const Tensor self = *call.get<Tensor>(0);
  Tensor atol, rtol;
  call.give(
      0, pinv_of(self, given_number(self, call.get<std::optional<double>>(1), atol),
                 given_number(self, call.get<std::optional<double>>(2), rtol), call.get<bool>(3)));
}

void linalg_pinv_rcond(const Call& call) {
  const Tensor self = *call.get<Tensor>(0);
  Tensor atol, rtol;
  call.give(0, pinv_of(self, given_number(self, 0.0, atol),
                       given_number(self, call.get<double>(1), rtol), call.get<bool>(2)));
}

void linalg_pinv_rcond_tensor(const Call& call) {
  const Tensor self = *call.get<Tensor>(0);
  Tensor atol;
  call.give(0,
            pinv_of(self, given_number(self, 0.0, atol), *call.get<Tensor>(1), call.get<bool>(2)));
}

void pinverse(const Call& call) {
  const Tensor self = *call.get<Tensor>(0);
  Tensor atol, rtol;
  call.give(0, pinv_of(self, given_number(self, 0.0, atol),
                       given_number(self, call.get<double>(1), rtol), false));
}

void linalg_matrix_rank(const Call& call) {
  const Tensor self = *call.get<Tensor>(0);
  check_matrices(call.op(), "self", self);
  const int64_t last[] = {-1};
  if (numel_of(self) == 0) {
    return call.give(0, call_zeros(batch_sizes(self.sizes()),
                                   options_like(kind_of(self), {Dtype::I64, {}, {}, {}})));
  }
  const Tensor sizes = sizes_of_values(self, call.get<bool>(3));
  const Tensor least = least_value(self, largest_of(sizes), call.get<std::optional<Tensor>>(1),
                                   call.get<std::optional<Tensor>>(2));
  call.give(0, call_sum(is_above(sizes, least), last));
}

void linalg_matrix_rank_numbers(const Call& call) {
  const Tensor self = *call.get<Tensor>(0);
  Tensor atol, rtol;
  call.give(
      0, rank_of(self, given_number(self, call.get<std::optional<double>>(1), atol),
                 given_number(self, call.get<std::optional<double>>(2), rtol), call.get<bool>(3)));
}

void linalg_matrix_rank_tol(const Call& call) {
  const Tensor self = *call.get<Tensor>(0);
  Tensor atol, rtol;
  call.give(0, rank_of(self, given_number(self, call.get<double>(1), atol),
                       given_number(self, 0.0, rtol), call.get<bool>(2)));
}

void linalg_matrix_rank_tol_tensor(const Call& call) {
  const Tensor self = *call.get<Tensor>(0);
  Tensor rtol;
  call.give(0,
            rank_of(self, *call.get<Tensor>(1), given_number(self, 0.0, rtol), call.get<bool>(2)));
}

// https://doi.org/10.1137/0710036 (Golub, Pereyra)
void linalg_pinv_backward(const Call& call) {
  const Tensor grad = *call.get<Tensor>(0), inverse = *call.get<Tensor>(1),
               self = *call.get<Tensor>(2);
  const Tensor turned_grad = call_mH(grad), turned = call_mH(inverse);
  if (self.size(-2) <= self.size(-1)) {
    const Tensor k = call_matmul(turned_grad, inverse);
    const Tensor rest = call_matmul(k, turned);
    Tensor result = call_sub(rest, call_mH(call_matmul(inverse, k)));
    result = call_sub(result, call_matmul(call_matmul(self, inverse), rest));
    return call.give(0, call_add(result, call_matmul(call_matmul(turned, inverse),
                                                     call_sub(turned_grad, call_matmul(k, self)))));
  }
  const Tensor k = call_matmul(inverse, turned_grad);
  const Tensor rest = call_matmul(turned, k);
  Tensor result = call_sub(rest, call_mH(call_matmul(k, inverse)));
  result = call_add(
      result,
      call_matmul(call_matmul(call_sub(turned_grad, call_matmul(self, k)), inverse), turned));
  call.give(0, call_sub(result, call_matmul(call_matmul(rest, inverse), self)));
}

}  // namespace tenon::kernels::ops
