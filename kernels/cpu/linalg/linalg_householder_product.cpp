// SPDX-License-Identifier: Apache-2.0
// aten::linalg_householder_product and aten::ormqr on the CPU.
#include "kernels/ops/linalg/linalg_householder_product.h"

#include "kernels/cpu/linalg/matrices.h"
#include "kernels/cpu/loops/row_major.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {
namespace {

void linalg_householder_product(const Call& call) {
  Tensor result = ops::householder_result(call);
  const Tensor given = *call.get<Tensor>(1);
  const RowMajor tau(given.info(), result.dtype());
  ColumnMajor q(result);
  q.take(*call.get<Tensor>(0));
  const int rows = lapack_size(call.op(), q.rows()), columns = lapack_size(call.op(), q.columns());
  const auto count = static_cast<int>(given.size(-1));
  visit(call.op(), "input", result.dtype(), LapackTypes(), [&]<class T>(Element<T>) {
    if (result.numel() == 0) return;
    const T* const factors = tau.data<T>();
    for (int64_t k = 0; k < q.count(); ++k) {
      lapack_orgqr(rows, columns, count, q.matrix<T>(k), q.lead(), factors + k * count);
    }
  });
  q.finish();
  if (call.form.is_functional()) call.give(0, std::move(result));
}

void ormqr(const Call& call) {
  Tensor result = ops::ormqr_result(call);
  const Tensor self = *call.get<Tensor>(0), given = *call.get<Tensor>(1);
  const RowMajor tau(given.info(), result.dtype());
  ColumnMajor reflectors(self.sizes(), self.dtype()), c(result);
  reflectors.take(self);
  c.take(*call.get<Tensor>(2));
  const int rows = lapack_size(call.op(), c.rows()), columns = lapack_size(call.op(), c.columns());
  const auto count = static_cast<int>(given.size(-1));
  const char side = call.get<bool>(3) ? 'L' : 'R', trans = call.get<bool>(4) ? 'C' : 'N';
  visit(call.op(), "self", result.dtype(), LapackTypes(), [&]<class T>(Element<T>) {
    if (result.numel() == 0 || count == 0) return;
    const T* const factors = tau.data<T>();
    for (int64_t k = 0; k < c.count(); ++k) {
      lapack_ormqr(side, trans, rows, columns, count, reflectors.matrix<T>(k), reflectors.lead(),
                   factors + k * count, c.matrix<T>(k), c.lead());
    }
  });
  c.finish();
  if (call.form.is_functional()) call.give(0, std::move(result));
}

}  // namespace

Operator operator_kLinalgHouseholderProduct() {
  return routine_of<ops::kLinalgHouseholderProduct, &linalg_householder_product>(kQuickProduct);
}
Operator operator_kOrmqr() { return routine_of<ops::kOrmqr, &ormqr>(kQuickProduct); }

}  // namespace tenon::kernels::cpu
