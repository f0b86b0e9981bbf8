// SPDX-License-Identifier: Apache-2.0
// aten::linalg_ldl_factor_ex and aten::linalg_ldl_solve on the CPU.
#include "kernels/ops/linalg/linalg_ldl.h"

#include "kernels/cpu/linalg/matrices.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {
namespace {

// Factors the lower triangle. The elements above are not read and become 0 in the result.
template <class T>
void factor_symmetric(const char* op, bool is_hermitian, const ColumnMajor& a, int32_t* pivots,
                      int32_t* info) {
  const int n = lapack_size(op, a.rows());
  for (int64_t k = 0; k < a.count(); ++k) {
    T* const matrix = a.matrix<T>(k);
    for (int64_t column = 1; column < n; ++column) {
      std::fill(matrix + column * n, matrix + column * n + column, T(0));
    }
    info[k] = lapack_sytrf(is_hermitian, n, matrix, a.lead(), pivots + k * n);
  }
}

void linalg_ldl_factor(const Call& call) {
  ops::LdlFactors results = ops::ldl_factors_of(call);
  ColumnMajor a(results.ld);
  a.take(*call.get<Tensor>(0));
  Rows<int32_t> pivots(results.pivots), info(results.info);
  visit(call.op(), "self", results.ld.dtype(), LapackTypes(), [&]<class T>(Element<T>) {
    factor_symmetric<T>(call.op(), call.get<bool>(1), a, pivots.data(), info.data());
  });
  if (call.get<bool>(2)) {
    check_info(call.op(), info.data(), a.count(),
               "self must have nonzero blocks, got a zero block");
  }
  a.finish();
  pivots.finish();
  info.finish();
  if (!call.form.is_functional()) return;
  call.give(0, std::move(results.ld));
  call.give(1, std::move(results.pivots));
  call.give(2, std::move(results.info));
}

// Refuses invalid pivots, because LAPACK exchanges rows without checking them. In blocks of two
// rows they count down from -1.
void check_block_pivots(const char* op, const int32_t* pivots, int64_t count, int64_t rows) {
  for (int64_t k = 0; k < count; ++k) {
    const int64_t place = pivots[k] < 0 ? -int64_t{pivots[k]} : int64_t{pivots[k]};
    if (place < 1 || place > rows) {
      fail(TENON_ERROR_INVALID_ARGUMENT, {op, ": pivots must be in [1, ", rows, "] or [-", rows,
                                          ", -1], got ", int64_t{pivots[k]}});
    }
  }
}

void linalg_ldl_solve(const Call& call) {
  ops::SymmetricSystem system = ops::symmetric_system_of(call);
  ColumnMajor ld(system.ld.sizes(), system.ld.dtype());
  ld.take(system.ld);
  const Tensor pivots = Tensor::empty(system.pivots.sizes(), Dtype::I32);
  cast(pivots.info(), system.pivots.info());
  const auto* const places = static_cast<const int32_t*>(pivots.raw_data());
  check_block_pivots(call.op(), places, pivots.numel(), ld.rows());
  ColumnMajor x(system.result);
  x.take(system.b);
  const int n = lapack_size(call.op(), ld.rows()), columns = lapack_size(call.op(), x.columns());
  if (system.result.numel() != 0) {
    visit(call.op(), "LD", system.ld.dtype(), LapackTypes(), [&]<class T>(Element<T>) {
      for (int64_t k = 0; k < x.count(); ++k) {
        lapack_sytrs(call.get<bool>(3), n, columns, ld.matrix<T>(k), ld.lead(), places + k * n,
                     x.matrix<T>(k), x.lead());
      }
    });
  }
  x.finish();
  if (call.form.is_functional()) call.give(0, std::move(system.result));
}

}  // namespace

Operator operator_kLinalgLdlFactorEx() {
  return routine_of<ops::kLinalgLdlFactorEx, &linalg_ldl_factor>(kQuickProduct);
}
Operator operator_kLinalgLdlSolve() {
  return routine_of<ops::kLinalgLdlSolve, &linalg_ldl_solve>(kQuickProduct);
}

}  // namespace tenon::kernels::cpu
