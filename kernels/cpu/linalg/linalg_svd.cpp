// SPDX-License-Identifier: Apache-2.0
// aten::_linalg_svd on the CPU.
#include "kernels/ops/linalg/linalg_svd.h"

#include <algorithm>
#include <optional>

#include "kernels/cpu/linalg/matrices.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {
namespace {

template <class T>
void decompose(const char* op, const Tensor& a, ColumnMajor* u, Real<T>* s, ColumnMajor* vh,
               bool is_full) {
  const int rows = lapack_size(op, a.size(-2)), columns = lapack_size(op, a.size(-1));
  const int small = std::min(rows, columns);
  ColumnMajor work(a.sizes(), a.dtype());
  work.take(a);
  check_finite<T>(op, "A", work);
  const char job = u == nullptr ? 'N' : is_full ? 'A' : 'S';
  for (int64_t k = 0; k < work.count(); ++k) {
    if (small == 0) {
      for (ColumnMajor* each : {u, vh}) {
        if (each == nullptr) continue;
        for (int64_t row = 0; row < each->rows(); ++row) {
          for (int64_t column = 0; column < each->columns(); ++column) {
            each->matrix<T>(k)[column * each->rows() + row] = T(row == column ? 1 : 0);
          }
        }
      }
      continue;
    }
    T none(0);
    const int info =
        lapack_gesdd(job, rows, columns, work.matrix<T>(k), work.lead(), s + k * small,
                     u != nullptr ? u->matrix<T>(k) : &none, u != nullptr ? u->lead() : 1,
                     vh != nullptr ? vh->matrix<T>(k) : &none, vh != nullptr ? vh->lead() : 1);
    if (info != 0) {
      fail(TENON_ERROR_INVALID_ARGUMENT,
           {op, ": singular values of A must converge, got error code ", info,
            " from LAPACK for matrix ", k});
    }
  }
}

void linalg_svd(const Call& call) {
  ops::SingularValues results = ops::singular_values_of(call);
  const Tensor a = *call.get<Tensor>(0);
  std::optional<ColumnMajor> u, vh;
  if (results.has_vectors) {
    u.emplace(results.u);
    vh.emplace(results.vh);
  }
  visit(call.op(), "A", a.dtype(), LapackTypes(), [&]<class T>(Element<T>) {
    Rows<Real<T>> s(results.s);
    decompose<T>(call.op(), a, u ? &*u : nullptr, s.data(), vh ? &*vh : nullptr, results.is_full);
    s.finish();
  });
  if (u) u->finish();
  if (vh) vh->finish();
  if (!call.form.is_functional()) return;
  call.give(0, std::move(results.u));
  call.give(1, std::move(results.s));
  call.give(2, std::move(results.vh));
}

}  // namespace

Operator operator_kInnerLinalgSvd() {
  return routine_of<ops::kInnerLinalgSvd, &linalg_svd>(kQuickProduct);
}

}  // namespace tenon::kernels::cpu
