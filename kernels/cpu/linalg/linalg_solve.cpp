// SPDX-License-Identifier: Apache-2.0
// aten::_linalg_solve_ex on the CPU.
#include "kernels/ops/linalg/linalg_solve.h"

#include "kernels/cpu/linalg/matrices.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {
namespace {

// X A = B is solved as A^T X^T = B^T: B is transposed already.
template <class T>
void solve(const char* op, const ColumnMajor& a, const ColumnMajor& b, bool left, int32_t* pivots,
           int32_t* info) {
  const int n = lapack_size(op, a.rows()), columns = lapack_size(op, b.columns());
  for (int64_t k = 0; k < a.count(); ++k) {
    info[k] = lapack_getrf(n, n, a.matrix<T>(k), a.lead(), pivots + k * n);
    if (info[k] != 0) continue;
    lapack_getrs(left ? 'N' : 'T', n, columns, a.matrix<T>(k), a.lead(), pivots + k * n,
                 b.matrix<T>(k), b.lead());
  }
}

void linalg_solve(const Call& call) {
  const ops::LinearSystem system = ops::linear_system_of(call);
  ops::Solution results = ops::solution_for(call, system);
  ColumnMajor a(results.lu);
  a.take(system.a);
  ColumnMajor b(system.b.sizes(), system.b.dtype());
  b.take(system.b);
  Rows<int32_t> pivots(results.pivots), info(results.info);
  visit(call.op(), "A", system.a.dtype(), LapackTypes(), [&]<class T>(Element<T>) {
    solve<T>(call.op(), a, b, system.left, pivots.data(), info.data());
  });
  if (call.get<bool>(3)) {
    check_info(call.op(), info.data(), a.count(),
               "A must be invertible, got a singular matrix with a zero pivot");
  }
  b.give(results.result, system.is_vector, !system.left);
  a.finish();
  pivots.finish();
  info.finish();
  if (!call.form.is_functional()) return;
  call.give(0, std::move(results.result));
  call.give(1, std::move(results.lu));
  call.give(2, std::move(results.pivots));
  call.give(3, std::move(results.info));
}

}  // namespace

Operator operator_kInnerLinalgSolveEx() {
  return routine_of<ops::kInnerLinalgSolveEx, &linalg_solve>(kQuickProduct);
}

}  // namespace tenon::kernels::cpu
