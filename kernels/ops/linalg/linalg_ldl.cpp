// SPDX-License-Identifier: Apache-2.0
// The results of aten::linalg_ldl_factor_ex and aten::linalg_ldl_solve, and the implementation of
// aten::linalg_ldl_factor.
#include "kernels/ops/linalg/linalg_ldl.h"

#include <algorithm>

#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/linalg/matrices.h"

namespace tenon::kernels::ops {

LdlFactors ldl_factors_of(const Call& call) {
  const Tensor a = *call.get<Tensor>(0);
  check_square_matrices(call.op(), "self", a);
  const Dims strides = column_major_strides(a.sizes());
  return {
      result_for(call, a.sizes(), a.dtype(), a.device(), strides.begin(), 0),
      result_for(call, batch_sizes(a.sizes(), {a.size(-1)}), Dtype::I32, a.device(), nullptr, 1),
      result_for(call, batch_sizes(a.sizes()), Dtype::I32, a.device(), nullptr, 2)};
}

void linalg_ldl_factor_meta(const Call& call) {
  LdlFactors results = ldl_factors_of(call);
  if (!call.form.is_functional()) return;
  call.give(0, std::move(results.ld));
  call.give(1, std::move(results.pivots));
  call.give(2, std::move(results.info));
}

void linalg_ldl_factor(const Call& call) {
  static constinit const LazyOp<std::tuple<Tensor, Tensor, Tensor>(const Tensor&, bool, bool)>
      factor("aten::linalg_ldl_factor_ex");
  auto [ld, pivots, info] = factor(*call.get<Tensor>(0), call.get<bool>(1), true);
  call.give(0, std::move(ld));
  call.give(1, std::move(pivots));
}

SymmetricSystem symmetric_system_of(const Call& call) {
  SymmetricSystem system{*call.get<Tensor>(0), *call.get<Tensor>(1), *call.get<Tensor>(2), {}};
  check_square_matrices(call.op(), "LD", system.ld);
  check_matrices(call.op(), "B", system.b);
  check_dtype_of(call.op(), "B", system.b.dtype(), "LD", system.ld.dtype());
  if (system.pivots.dtype() != Dtype::I32 && system.pivots.dtype() != Dtype::I64) {
    fail_dtype(call.op(), "pivots", system.pivots.dtype(), "int32, int64");
  }
  const int64_t size = system.ld.size(-1);
  if (system.b.size(-2) != size) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": B must match the ", size, " rows of LD, got sizes ", system.ld.sizes(),
          " and ", system.b.sizes()});
  }
  const Dims wanted = batch_sizes(system.ld.sizes(), {size});
  if (!std::ranges::equal(system.pivots.sizes(), wanted)) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": pivots must have sizes ", wanted, " as LD's, got ", system.pivots.sizes()});
  }
  const Dims batch =
      broadcast(call.op(), batch_sizes(system.ld.sizes()), batch_sizes(system.b.sizes()));
  const auto stretched = [&](const Tensor& tensor, std::initializer_list<int64_t> last) {
    Dims sizes = batch;
    for (const int64_t each : last) sizes.push_back(each);
    return expanded_alias(tensor, sizes);
  };
  system.ld = stretched(system.ld, {size, size});
  system.pivots = stretched(system.pivots, {size});
  system.b = stretched(system.b, {size, system.b.size(-1)});
  const Dims strides = column_major_strides(system.b.sizes());
  system.result =
      result_for(call, system.b.sizes(), system.b.dtype(), system.b.device(), strides.begin());
  return system;
}

void linalg_ldl_solve_meta(const Call& call) {
  SymmetricSystem system = symmetric_system_of(call);
  if (call.form.is_functional()) call.give(0, std::move(system.result));
}

}  // namespace tenon::kernels::ops
