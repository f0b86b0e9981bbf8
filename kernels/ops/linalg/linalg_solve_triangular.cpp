// SPDX-License-Identifier: Apache-2.0
// The result of aten::linalg_solve_triangular, and its gradients.
#include "kernels/ops/linalg/linalg_solve_triangular.h"

#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/linalg/matrices.h"

namespace tenon::kernels::ops {

TriangularSystem triangular_system_of(const Call& call) {
  TriangularSystem system{*call.get<Tensor>(0), *call.get<Tensor>(1), call.get<bool>(2),
                          call.get<bool>(3), call.get<bool>(4)};
  check_square_matrices(call.op(), "self", system.a);
  check_matrices(call.op(), "B", system.b);
  check_dtype_of(call.op(), "B", system.b.dtype(), "self", system.a.dtype());
  if (system.b.size(system.left ? -2 : -1) != system.a.size(-1)) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": B must match the ", system.a.size(-1), " rows of self, got sizes ",
          system.a.sizes(), " and ", system.b.sizes()});
  }
  const Dims batch =
      broadcast(call.op(), batch_sizes(system.a.sizes()), batch_sizes(system.b.sizes()));
  const auto stretched = [&](const Tensor& tensor) {
    Dims sizes = batch;
    sizes.push_back(tensor.size(-2));
    sizes.push_back(tensor.size(-1));
    return expanded_alias(tensor, sizes);
  };
  system.a = stretched(system.a);
  system.b = stretched(system.b);
  return system;
}

Tensor triangular_result(const Call& call, const TriangularSystem& system) {
  const Tensor& b = system.b;
  const Dims strides = column_major_strides(b.sizes());
  return result_for(call, b.sizes(), b.dtype(), b.device(), strides.begin());
}

void linalg_solve_triangular_meta(const Call& call) {
  Tensor result = triangular_result(call, triangular_system_of(call));
  if (call.form.is_functional()) call.give(0, std::move(result));
}

void linalg_solve_triangular_backward_b(const Call& call) {
  call.give(0, call_solve_triangular(call_mH(*call.get<Tensor>(1)), *call.get<Tensor>(0),
                                     !call.get<bool>(2), call.get<bool>(3), call.get<bool>(4)));
}

void linalg_solve_triangular_backward_a(const Call& call) {
  const bool upper = call.get<bool>(3), left = call.get<bool>(4), unitriangular = call.get<bool>(5);
  const Tensor of_b = call_solve_triangular(call_mH(*call.get<Tensor>(1)), *call.get<Tensor>(0),
                                            !upper, left, unitriangular);
  const Tensor turned = call_mH(*call.get<Tensor>(2));
  const Tensor whole = call_neg(left ? call_matmul(of_b, turned) : call_matmul(turned, of_b));
  const int64_t inside = unitriangular ? 1 : 0;
  call.give(0, upper ? call_triu(whole, inside) : call_tril(whole, -inside));
}

}  // namespace tenon::kernels::ops
