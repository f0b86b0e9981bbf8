// SPDX-License-Identifier: Apache-2.0
// aten::_linalg_eigh on the CPU.
#include "kernels/ops/linalg/linalg_eigh.h"

#include <optional>

#include "kernels/cpu/linalg/matrices.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {
namespace {

template <class T>
void decompose(const char* op, const ColumnMajor& work, Real<T>* values, char triangle,
               bool has_vectors) {
  const int n = lapack_size(op, work.rows());
  for (int64_t k = 0; k < work.count(); ++k) {
    const int info = lapack_heevd(has_vectors ? 'V' : 'N', triangle, n, work.matrix<T>(k),
                                  work.lead(), values + k * n);
    if (info != 0) {
      fail(TENON_ERROR_INVALID_ARGUMENT, {op, ": eigenvalues of A must converge, got error code ",
                                          info, " from LAPACK for matrix ", k});
    }
  }
}

void linalg_eigh(const Call& call) {
  ops::Eigenvalues results = ops::eigenvalues_of(call);
  const Tensor a = *call.get<Tensor>(0);
  std::optional<ColumnMajor> work;
  if (results.has_vectors) {
    work.emplace(results.vectors);
  } else {
    work.emplace(a.sizes(), a.dtype());
  }
  work->take(a);
  visit(call.op(), "A", a.dtype(), LapackTypes(), [&]<class T>(Element<T>) {
    Rows<Real<T>> values(results.values);
    decompose<T>(call.op(), *work, values.data(), results.triangle, results.has_vectors);
    values.finish();
  });
  work->finish();
  if (!call.form.is_functional()) return;
  call.give(0, std::move(results.values));
  call.give(1, std::move(results.vectors));
}

}  // namespace

Operator operator_kInnerLinalgEigh() {
  return routine_of<ops::kInnerLinalgEigh, &linalg_eigh>(kQuickProduct);
}

}  // namespace tenon::kernels::cpu
