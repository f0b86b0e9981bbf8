// SPDX-License-Identifier: Apache-2.0
// aten::linalg_qr on the CPU.
#include "kernels/ops/linalg/linalg_qr.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "kernels/cpu/linalg/matrices.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {
namespace {

template <class T>
void decompose(const char* op, const Tensor& a, ColumnMajor& r, ColumnMajor* q, bool is_complete) {
  const int rows = lapack_size(op, a.size(-2)), columns = lapack_size(op, a.size(-1));
  const int small = std::min(rows, columns);
  ColumnMajor work(a.sizes(), a.dtype());
  work.take(a);
  const int r_rows = is_complete ? rows : small, q_columns = is_complete ? rows : small;
  std::vector<T> tau(static_cast<size_t>(small) + 1);
  for (int64_t k = 0; k < work.count(); ++k) {
    T* const packed = work.matrix<T>(k);
    lapack_geqrf(rows, columns, packed, work.lead(), tau.data());
    T* const triangle = r.matrix<T>(k);
    for (int64_t column = 0; column < columns; ++column) {
      for (int64_t row = 0; row < r_rows; ++row) {
        triangle[column * r_rows + row] = row <= column ? packed[column * rows + row] : T(0);
      }
    }
    if (q == nullptr) continue;
    T* const vectors = q->matrix<T>(k);
    std::fill(vectors, vectors + int64_t{rows} * q_columns, T(0));
    std::copy(packed, packed + int64_t{rows} * small, vectors);
    if (q_columns > 0) lapack_orgqr(rows, q_columns, small, vectors, q->lead(), tau.data());
  }
}

void linalg_qr(const Call& call) {
  ops::QrFactors results = ops::qr_factors_of(call);
  const Tensor a = *call.get<Tensor>(0);
  ColumnMajor r(results.r);
  std::optional<ColumnMajor> q;
  if (results.has_q) q.emplace(results.q);
  visit(call.op(), "A", a.dtype(), LapackTypes(), [&]<class T>(Element<T>) {
    decompose<T>(call.op(), a, r, q ? &*q : nullptr, results.is_complete);
  });
  r.finish();
  if (q) q->finish();
  if (!call.form.is_functional()) return;
  call.give(0, std::move(results.q));
  call.give(1, std::move(results.r));
}

}  // namespace

Operator operator_kLinalgQr() { return routine_of<ops::kLinalgQr, &linalg_qr>(kQuickProduct); }

}  // namespace tenon::kernels::cpu
