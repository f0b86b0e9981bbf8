// SPDX-License-Identifier: Apache-2.0
// aten::linalg_cholesky_ex on the CPU.
#include "kernels/ops/linalg/linalg_cholesky.h"

#include <algorithm>

#include "kernels/cpu/linalg/matrices.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {
namespace {

template <class T>
void factor(const char* op, const ColumnMajor& a, bool upper, int32_t* info) {
  const int n = lapack_size(op, a.rows());
  for (int64_t k = 0; k < a.count(); ++k) {
    T* const matrix = a.matrix<T>(k);
    info[k] = lapack_potrf(upper ? 'U' : 'L', n, matrix, a.lead());
    for (int64_t column = 0; column < n; ++column) {
      T* const first = matrix + column * n;
      if (upper) {
        std::fill(first + column + 1, first + n, T(0));
      } else {
        std::fill(first, first + column, T(0));
      }
    }
  }
}

void linalg_cholesky(const Call& call) {
  ops::CholeskyFactor results = ops::cholesky_factor_of(call);
  ColumnMajor a(results.factor);
  a.take(*call.get<Tensor>(0));
  Rows<int32_t> info(results.info);
  visit(call.op(), "self", results.factor.dtype(), LapackTypes(),
        [&]<class T>(Element<T>) { factor<T>(call.op(), a, call.get<bool>(1), info.data()); });
  if (call.get<bool>(2)) {
    check_info(call.op(), info.data(), a.count(),
               "self must be positive-definite, got a leading minor that is not positive");
  }
  a.finish();
  info.finish();
  if (!call.form.is_functional()) return;
  call.give(0, std::move(results.factor));
  call.give(1, std::move(results.info));
}

}  // namespace

Operator operator_kLinalgCholeskyEx() {
  return routine_of<ops::kLinalgCholeskyEx, &linalg_cholesky>(kQuickProduct);
}

}  // namespace tenon::kernels::cpu
