// SPDX-License-Identifier: Apache-2.0
// Argument checks, result and gradients of aten::linalg_lu_solve.
#include "kernels/ops/linalg/linalg_lu_solve.h"

#include <algorithm>

#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/linalg/linalg_lu.h"
#include "kernels/ops/linalg/matrices.h"

namespace tenon::kernels::ops {
namespace {

constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Tensor&, bool, bool)>
    solve_factored("aten::linalg_lu_solve");

}  // namespace

FactoredSystem factored_system_of(const Call& call) {
  FactoredSystem system{*call.get<Tensor>(0), *call.get<Tensor>(1), *call.get<Tensor>(2), {},
                        call.get<bool>(3),    call.get<bool>(4)};
  check_square_matrices(call.op(), "LU", system.lu);
  check_dtype_of(call.op(), "B", system.b.dtype(), "LU", system.lu.dtype());
  if (system.pivots.dtype() != Dtype::I32) {
    fail_argument(call.op(), "pivots", "have dtype int32", system.pivots.dtype());
  }
  check_matrices(call.op(), "B", system.b);
  const int64_t size = system.lu.size(-1);
  if (system.b.size(system.left ? -2 : -1) != size) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": B must match the ", size, " rows of LU, got sizes ", system.lu.sizes(),
          " and ", system.b.sizes()});
  }
  const Dims pivots = batch_sizes(system.lu.sizes(), {size});
  if (!std::ranges::equal(system.pivots.sizes(), pivots)) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": pivots must have sizes ", pivots, " as LU's, got ", system.pivots.sizes()});
  }
  const Dims batch =
      broadcast(call.op(), batch_sizes(system.lu.sizes()), batch_sizes(system.b.sizes()));
  const auto stretched = [&](const Tensor& tensor, std::initializer_list<int64_t> last) {
    Dims sizes = batch;
    for (const int64_t each : last) sizes.push_back(each);
    return expanded_alias(tensor, sizes);
  };
  system.lu = stretched(system.lu, {size, size});
  system.pivots = stretched(system.pivots, {size});
  system.b = stretched(system.b, {system.b.size(-2), system.b.size(-1)});
  const Tensor& b = system.b;
  const Dims strides = system.left ? column_major_strides(b.sizes()) : row_major_strides(b.sizes());
  system.result = result_for(call, b.sizes(), b.dtype(), b.device(), strides.begin());
  return system;
}

void linalg_lu_solve_meta(const Call& call) {
  FactoredSystem system = factored_system_of(call);
  if (call.form.is_functional()) call.give(0, std::move(system.result));
}

void lu_solve(const Call& call) {
  call.give(0, solve_factored(*call.get<Tensor>(1), *call.get<Tensor>(2), *call.get<Tensor>(0),
                              true, false));
}

void linalg_lu_solve_backward_b(const Call& call) {
  call.give(0, solve_factored(*call.get<Tensor>(1), *call.get<Tensor>(2), *call.get<Tensor>(0),
                              call.get<bool>(3), !call.get<bool>(4)));
}

// For P L U X = B the differential of X is -U^-1 (dU + L^-1 dL U) X. For the adjoint system U^H L^H
// Y = B, X = P Y, that of Y is -L^-H (dL^H + U^-H dU^H L^H) Y.
void linalg_lu_solve_backward(const Call& call) {
  const Tensor lu = *call.get<Tensor>(1);
  const bool left = call.get<bool>(4), adjoint = call.get<bool>(5) == left;
  // X A = B is A^H X^H = B^H.
  const Tensor grad = left ? *call.get<Tensor>(0) : call_mH(*call.get<Tensor>(0));
  const Tensor x = left ? *call.get<Tensor>(3) : call_mH(*call.get<Tensor>(3));
  const Tensor upper = call_triu(lu, 0), lower = call_tril(lu, -1);
  Tensor of_upper, of_lower;
  if (!adjoint) {
    of_upper = call_solve_triangular(call_mH(upper), call_matmul(grad, call_mH(x)), false, true);
    of_lower = call_solve_triangular(call_mH(lower), call_matmul(of_upper, call_mH(upper)), true,
                                     true, true);
  } else {
    const Tensor places = rows_of_factors(*call.get<Tensor>(2), lu.size(-1));
    const Tensor order = call_expand(call_unsqueeze(places, -1), x.sizes());
    const Tensor y = call_gather(x, -2, order), of_y = call_gather(grad, -2, order);
    of_lower =
        call_solve_triangular(call_mH(lower), call_matmul(y, call_mH(of_y)), true, false, true);
    const Tensor whole = call_add(call_matmul(call_mH(lower), of_lower), of_lower);
    of_upper = call_solve_triangular(call_mH(upper), whole, false, false);
  }
  call.give(0, call_neg(call_add(call_triu(of_upper, 0), call_tril(of_lower, -1))));
}

}  // namespace tenon::kernels::ops
