// SPDX-License-Identifier: Apache-2.0
// aten::linalg_inv_ex on the CPU.
#include "kernels/ops/linalg/linalg_inv.h"

#include <vector>

#include "kernels/cpu/linalg/matrices.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {
namespace {

template <class T>
void invert(const char* op, const ColumnMajor& a, int32_t* info) {
  const int n = lapack_size(op, a.rows());
  std::vector<int> pivots(static_cast<size_t>(n) + 1);
  for (int64_t k = 0; k < a.count(); ++k) {
    info[k] = lapack_getrf(n, n, a.matrix<T>(k), a.lead(), pivots.data());
    if (info[k] == 0) info[k] = lapack_getri(n, a.matrix<T>(k), a.lead(), pivots.data());
  }
}

void linalg_inv(const Call& call) {
  ops::Inverse results = ops::inverse_of(call);
  ColumnMajor a(results.inverse);
  a.take(*call.get<Tensor>(0));
  Rows<int32_t> info(results.info);
  visit(call.op(), "A", results.inverse.dtype(), LapackTypes(),
        [&]<class T>(Element<T>) { invert<T>(call.op(), a, info.data()); });
  if (call.get<bool>(1)) {
    check_info(call.op(), info.data(), a.count(),
               "A must be invertible, got a singular matrix with a zero pivot");
  }
  a.finish();
  info.finish();
  if (!call.form.is_functional()) return;
  call.give(0, std::move(results.inverse));
  call.give(1, std::move(results.info));
}

}  // namespace

Operator operator_kLinalgInvEx() {
  return routine_of<ops::kLinalgInvEx, &linalg_inv>(kQuickProduct);
}

}  // namespace tenon::kernels::cpu
