// SPDX-License-Identifier: Apache-2.0
// The results of aten::_linalg_solve_ex, its gradients, and the implementation of
// aten::linalg_solve.
#include "kernels/ops/linalg/linalg_solve.h"

#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/linalg/matrices.h"

namespace tenon::kernels::ops {
namespace {

constinit const LazyOp<std::tuple<Tensor, Tensor, Tensor, Tensor>(const Tensor&, const Tensor&,
                                                                  bool, bool)>
    solve("aten::_linalg_solve_ex");
constinit const LazyOp<Tensor(const Tensor&, const Tensor&, bool)> solution("aten::linalg_solve");

// Returns true if B is a vector or has the sizes of A without the last one, as in older numpy
// versions.
bool holds_vectors(const Tensor& a, const Tensor& b) {
  return b.ndim() == 1 || (a.ndim() - 1 == b.ndim() &&
                           std::ranges::equal(b.sizes(), a.sizes().first(a.sizes().size() - 1)));
}

Tensor as_column(const Tensor& tensor, bool is_vector) {
  return is_vector ? call_unsqueeze(tensor, -1) : tensor;
}

}  // namespace

LinearSystem linear_system_of(const Call& call) {
  LinearSystem system{*call.get<Tensor>(0), *call.get<Tensor>(1), false, call.get<bool>(2)};
  check_square_matrices(call.op(), "A", system.a);
  check_dtype_of(call.op(), "B", system.b.dtype(), "A", system.a.dtype());
  if (system.b.ndim() == 0) fail_argument(call.op(), "B", "have at least 1 dim", system.b.sizes());
  system.is_vector = holds_vectors(system.a, system.b);
  if (system.is_vector && !system.left) {
    fail_argument(call.op(), "B", "matrices where left is False", system.b.sizes());
  }
  if (system.is_vector) system.b = column_alias(system.b);
  const int64_t size = system.a.size(-1);
  if (system.b.size(system.left ? -2 : -1) != size) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": B must match the ", size, " rows of A, got sizes ", system.a.sizes(),
          " and ", system.b.sizes()});
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
  if (!system.left) system.b = turned_alias(system.b);
  return system;
}

Solution solution_for(const Call& call, const LinearSystem& system) {
  const Tensor& a = system.a;
  // The result has the layout that the solver produces.
  Dims sizes(system.b.sizes());
  Dims strides = column_major_strides(sizes);
  if (system.is_vector) {
    // The last dim of a batch and the vectors count as a matrix.
    sizes.erase(sizes.size() - 1);
    strides = sizes.size() < 2 ? row_major_strides(sizes) : column_major_strides(sizes);
  }
  const int64_t rank = sizes.size();
  if (!system.left) {
    std::swap(sizes[rank - 1], sizes[rank - 2]);
    std::swap(strides[rank - 1], strides[rank - 2]);
  }
  const Dims columns = column_major_strides(a.sizes());
  return {
      result_for(call, sizes, a.dtype(), a.device(), strides.begin(), 0),
      result_for(call, a.sizes(), a.dtype(), a.device(), columns.begin(), 1),
      result_for(call, batch_sizes(a.sizes(), {a.size(-1)}), Dtype::I32, a.device(), nullptr, 2),
      result_for(call, batch_sizes(a.sizes()), Dtype::I32, a.device(), nullptr, 3)};
}

void linalg_solve_meta(const Call& call) {
  Solution results = solution_for(call, linear_system_of(call));
  if (!call.form.is_functional()) return;
  call.give(0, std::move(results.result));
  call.give(1, std::move(results.lu));
  call.give(2, std::move(results.pivots));
  call.give(3, std::move(results.info));
}

void linalg_solve_ex(const Call& call) {
  auto [result, lu, pivots, info] =
      solve(*call.get<Tensor>(0), *call.get<Tensor>(1), call.get<bool>(2), call.get<bool>(3));
  call.give(0, std::move(result));
  call.give(1, std::move(info));
}

void linalg_solve(const Call& call) {
  call.give(
      0, std::get<0>(solve(*call.get<Tensor>(0), *call.get<Tensor>(1), call.get<bool>(2), true)));
}

void linalg_solve_backward_b(const Call& call) {
  const Tensor a = *call.get<Tensor>(1);
  const bool is_vector = holds_vectors(a, *call.get<Tensor>(2));
  const Tensor grad = as_column(*call.get<Tensor>(0), is_vector);
  const Tensor of_b = solution(call_mH(a), grad, call.get<bool>(3));
  call.give(0, is_vector ? call_squeeze(of_b, -1) : of_b);
}

void linalg_solve_backward_a(const Call& call) {
  const Tensor a = *call.get<Tensor>(1);
  const bool is_vector = holds_vectors(a, *call.get<Tensor>(2)), left = call.get<bool>(4);
  const Tensor grad = as_column(*call.get<Tensor>(0), is_vector);
  const Tensor x = as_column(*call.get<Tensor>(3), is_vector);
  const Tensor of_b = solution(call_mH(a), grad, left);
  const Tensor turned = call_mH(x);
  call.give(0, call_neg(left ? call_matmul(of_b, turned) : call_matmul(turned, of_b)));
}

}  // namespace tenon::kernels::ops
