// SPDX-License-Identifier: Apache-2.0
// aten::linalg_lu_factor_ex on the CPU.
#include "kernels/ops/linalg/linalg_lu.h"

#include "kernels/cpu/linalg/matrices.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {
namespace {

template <class T>
void factor(const char* op, const ColumnMajor& a, int32_t* pivots, int32_t* info) {
  const int rows = lapack_size(op, a.rows()), columns = lapack_size(op, a.columns());
  for (int64_t k = 0; k < a.count(); ++k) {
    info[k] =
        lapack_getrf(rows, columns, a.matrix<T>(k), a.lead(), pivots + k * std::min(rows, columns));
  }
}

void linalg_lu(const Call& call) {
  ops::LuFactors results = ops::lu_factors_of(call);
  ColumnMajor a(results.lu);
  a.take(*call.get<Tensor>(0));
  Rows<int32_t> pivots(results.pivots), info(results.info);
  visit(call.op(), "A", results.lu.dtype(), LapackTypes(),
        [&]<class T>(Element<T>) { factor<T>(call.op(), a, pivots.data(), info.data()); });
  if (call.get<bool>(2)) {
    check_info(call.op(), info.data(), a.count(), "A must have nonzero pivots, got a zero pivot");
  }
  a.finish();
  pivots.finish();
  info.finish();
  if (!call.form.is_functional()) return;
  call.give(0, std::move(results.lu));
  call.give(1, std::move(results.pivots));
  call.give(2, std::move(results.info));
}

}  // namespace

Operator operator_kLinalgLuFactorEx() {
  return routine_of<ops::kLinalgLuFactorEx, &linalg_lu>(kQuickProduct);
}

}  // namespace tenon::kernels::cpu
