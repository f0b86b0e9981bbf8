// SPDX-License-Identifier: Apache-2.0
// aten::linalg_eig and aten::_linalg_eigvals on the CPU.
#include "kernels/ops/linalg/linalg_eig.h"

#include <optional>

#include "kernels/cpu/linalg/matrices.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {
namespace {

template <class T>
void decompose_any(const char* op, const ColumnMajor& a, ComplexOf<T>* values,
                   ComplexOf<T>* vectors) {
  check_finite<T>(op, "self", a);
  const int n = lapack_size(op, a.rows());
  for (int64_t k = 0; k < a.count(); ++k) {
    const int info =
        lapack_geev(vectors != nullptr ? 'V' : 'N', n, a.matrix<T>(k), a.lead(), values + k * n,
                    vectors == nullptr ? nullptr : vectors + k * n * n, a.lead());
    if (info != 0) {
      fail(TENON_ERROR_INVALID_ARGUMENT,
           {op, ": eigenvalues of self must converge, got error code ", info,
            " from LAPACK for matrix ", k});
    }
  }
}

void eigen(const Call& call, Tensor values, std::optional<Tensor> vectors) {
  const Tensor self = *call.get<Tensor>(0);
  ColumnMajor a(self.sizes(), self.dtype());
  a.take(self);
  std::optional<ColumnMajor> columns;
  if (vectors) columns.emplace(*vectors);
  if (self.numel() != 0) {
    visit(call.op(), "self", self.dtype(), LapackTypes(), [&]<class T>(Element<T>) {
      using C = ComplexOf<T>;
      Rows<C> found(values);
      decompose_any<T>(call.op(), a, found.data(), columns ? columns->matrix<C>(0) : nullptr);
      found.finish();
    });
  }
  if (columns) columns->finish();
  if (!call.form.is_functional()) return;
  call.give(0, std::move(values));
  if (vectors) call.give(1, std::move(*vectors));
}

void linalg_eig(const Call& call) {
  Tensor values = ops::complex_eigenvalues_of(call);
  eigen(call, std::move(values), ops::complex_eigenvectors_of(call));
}

void linalg_eigvals(const Call& call) {
  eigen(call, ops::complex_eigenvalues_of(call), std::nullopt);
}

}  // namespace

Operator operator_kLinalgEig() { return routine_of<ops::kLinalgEig, &linalg_eig>(kQuickProduct); }
Operator operator_kInnerLinalgEigvals() {
  return routine_of<ops::kInnerLinalgEigvals, &linalg_eigvals>(kQuickProduct);
}

}  // namespace tenon::kernels::cpu
