// SPDX-License-Identifier: Apache-2.0
// aten::linalg_lu_solve on the CPU.
#include "kernels/ops/linalg/linalg_lu_solve.h"

#include "kernels/cpu/linalg/matrices.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {
namespace {

// Refuses invalid pivots, because LAPACK exchanges rows without checking them.
void check_pivots(const char* op, const int32_t* pivots, int64_t count, int64_t rows) {
  for (int64_t k = 0; k < count; ++k) {
    if (pivots[k] < 1 || pivots[k] > rows) {
      fail(TENON_ERROR_INVALID_ARGUMENT,
           {op, ": pivots must be in [1, ", rows, "], got ", int64_t{pivots[k]}});
    }
  }
}

template <class T>
void conjugate_in_place(T* elements, int64_t count) {
  if constexpr (is_complex_element<T>) {
    for (int64_t k = 0; k < count; ++k) elements[k].im = -elements[k].im;
  }
}

// X A = B is solved as A^T X^T = B^T, with B and X transposed. X A^H = B is solved as A X^H = B^H:
// B and X are conjugated as well.
template <class T>
void solve_by_factors(const char* op, const ops::FactoredSystem& system, const ColumnMajor& lu,
                      const ColumnMajor& x, const int32_t* pivots) {
  const int n = lapack_size(op, lu.rows()), columns = lapack_size(op, x.columns());
  const bool conjugates = !system.left && system.adjoint;
  const char trans = system.left ? (system.adjoint ? 'C' : 'N') : (system.adjoint ? 'N' : 'T');
  for (int64_t k = 0; k < x.count(); ++k) {
    T* const b = x.matrix<T>(k);
    if (conjugates) conjugate_in_place(b, x.rows() * x.columns());
    lapack_getrs(trans, n, columns, lu.matrix<T>(k), lu.lead(), pivots + k * n, b, x.lead());
    if (conjugates) conjugate_in_place(b, x.rows() * x.columns());
  }
}

void linalg_lu_solve(const Call& call) {
  ops::FactoredSystem system = ops::factored_system_of(call);
  ColumnMajor lu(system.lu.sizes(), system.lu.dtype());
  lu.take(system.lu);
  const Tensor pivots = Tensor::empty(system.pivots.sizes(), Dtype::I32);
  cast(pivots.info(), system.pivots.info());
  const auto* const places = static_cast<const int32_t*>(pivots.raw_data());
  check_pivots(call.op(), places, pivots.numel(), lu.rows());
  ColumnMajor x(system.left ? system.result : turned_alias(system.result));
  x.take(system.left ? system.b : turned_alias(system.b));
  if (system.result.numel() != 0) {
    visit(call.op(), "LU", system.lu.dtype(), LapackTypes(),
          [&]<class T>(Element<T>) { solve_by_factors<T>(call.op(), system, lu, x, places); });
  }
  x.finish();
  if (call.form.is_functional()) call.give(0, std::move(system.result));
}

}  // namespace

Operator operator_kLinalgLuSolve() {
  return routine_of<ops::kLinalgLuSolve, &linalg_lu_solve>(kQuickProduct);
}

}  // namespace tenon::kernels::cpu
