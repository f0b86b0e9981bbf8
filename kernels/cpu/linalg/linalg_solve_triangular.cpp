// SPDX-License-Identifier: Apache-2.0
// aten::linalg_solve_triangular on the CPU.
#include "kernels/ops/linalg/linalg_solve_triangular.h"

#include "kernels/cpu/linalg/matrices.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {
namespace {

// Solves by substitution, because LAPACK refuses to divide by zero.
template <class T>
void divide_plainly(const T* a, T* b, int n, int columns, const ops::TriangularSystem& system) {
  const bool upper = system.upper == system.left;  // of the matrix on the left
  const auto element = [&](int64_t row, int64_t column) {
    return system.left ? a[column * n + row] : a[row * n + column];
  };
  for (int64_t c = 0; c < columns; ++c) {
    T* const x = b + c * n;
    for (int64_t step = 0; step < n; ++step) {
      const int64_t row = upper ? n - 1 - step : step;
      T sum = x[row];
      for (int64_t done = 0; done < step; ++done) {
        const int64_t column = upper ? n - 1 - done : done;
        sum = sum - element(row, column) * x[column];
      }
      x[row] = system.unitriangular ? sum : sum / element(row, row);
    }
  }
}

// X A = B is solved as A^T X^T = B^T.
template <class T>
void solve(const char* op, const ColumnMajor& a, const ColumnMajor& b,
           const ops::TriangularSystem& system) {
  const int n = lapack_size(op, a.rows()), columns = lapack_size(op, b.columns());
  for (int64_t k = 0; k < a.count(); ++k) {
    const int info = lapack_trtrs(system.upper ? 'U' : 'L', system.left ? 'N' : 'T',
                                  system.unitriangular ? 'U' : 'N', n, columns, a.matrix<T>(k),
                                  a.lead(), b.matrix<T>(k), b.lead());
    // Zeros on the diagonal lead to infinities, as in other divisions.
    if (info > 0) divide_plainly(a.matrix<T>(k), b.matrix<T>(k), n, columns, system);
  }
}

void linalg_solve_triangular(const Call& call) {
  const ops::TriangularSystem system = ops::triangular_system_of(call);
  Tensor result = ops::triangular_result(call, system);
  ColumnMajor a(system.a.sizes(), system.a.dtype());
  a.take(system.a);
  const Tensor right = system.left ? system.b : turned_alias(system.b);
  ColumnMajor b(right.sizes(), right.dtype());
  b.take(right);
  visit(call.op(), "self", system.a.dtype(), LapackTypes(),
        [&]<class T>(Element<T>) { solve<T>(call.op(), a, b, system); });
  b.give(result, false, !system.left);
  if (call.form.is_functional()) call.give(0, std::move(result));
}

}  // namespace

Operator operator_kLinalgSolveTriangular() {
  return routine_of<ops::kLinalgSolveTriangular, &linalg_solve_triangular>(kQuickProduct);
}

}  // namespace tenon::kernels::cpu
