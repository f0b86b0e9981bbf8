// SPDX-License-Identifier: Apache-2.0
// aten::linalg_lstsq on the CPU.
#include "kernels/ops/linalg/linalg_lstsq.h"

#include <algorithm>

#include "kernels/common/promotion.h"
#include "kernels/cpu/linalg/matrices.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {
namespace {

template <class T>
void solve(const char* op, const ColumnMajor& a, const ColumnMajor& b, Real<T>* s, int64_t* ranks,
           double rcond) {
  const int rows = lapack_size(op, a.rows()), columns = lapack_size(op, a.columns());
  const int right = lapack_size(op, b.columns()), small = std::min(rows, columns);
  for (int64_t k = 0; k < a.count(); ++k) {
    int rank = 0;
    if (small > 0) {
      const int info = lapack_gelsd(rows, columns, right, a.matrix<T>(k), a.lead(), b.matrix<T>(k),
                                    b.lead(), s + k * small, static_cast<Real<T>>(rcond), &rank);
      if (info != 0) {
        fail(TENON_ERROR_INVALID_ARGUMENT,
             {op, ": singular values of self must converge, got error code ", info,
              " from LAPACK for matrix ", k});
      }
    } else {
      std::fill(b.matrix<T>(k), b.matrix<T>(k) + b.rows() * b.columns(), T(0));
    }
    ranks[k] = rank;
  }
}

// Computes the sum of squares of the rows from `first` on, for each column.
template <class T>
void residuals_of(const ColumnMajor& b, int64_t first, Real<T>* residuals) {
  for (int64_t k = 0; k < b.count(); ++k) {
    for (int64_t column = 0; column < b.columns(); ++column) {
      Real<T> sum = 0;
      for (int64_t row = first; row < b.rows(); ++row) {
        const T element = b.matrix<T>(k)[column * b.rows() + row];
        if constexpr (is_complex_element<T>) {
          sum += element.re * element.re + element.im * element.im;
        } else {
          sum += element * element;
        }
      }
      *residuals++ = sum;
    }
  }
}

void linalg_lstsq(const Call& call) {
  const ops::LeastSquares problem = ops::least_squares_of(call);
  const int64_t rows = problem.a.size(-2), columns = problem.a.size(-1), right = problem.b.size(-1);
  const Dtype dtype = problem.a.dtype();
  const Device device = problem.a.device();
  ColumnMajor a(problem.a.sizes(), dtype);
  a.take(problem.a);
  // Has the larger of both numbers of rows, since the solution replaces the right-hand side.
  const Dims tall = batch_sizes(problem.b.sizes(), {std::max(rows, columns), right});
  const Tensor work = Tensor::empty(tall, dtype, {}, column_major_strides(tall));
  ColumnMajor b(work);
  const auto top = [&](int64_t count) {
    Dims sizes = tall;
    sizes[sizes.size() - 2] = count;
    return work.alias(sizes, work.strides(), 0);
  };
  cast(top(rows).info(), problem.b.info());
  Tensor ranks = Tensor::empty(batch_sizes(problem.a.sizes()), Dtype::I64);
  Tensor values =
      Tensor::empty(batch_sizes(problem.a.sizes(), {std::min(rows, columns)}), to_real(dtype));
  visit(call.op(), "self", dtype, LapackTypes(), [&]<class T>(Element<T>) {
    check_finite<T>(call.op(), "self", a);
    solve<T>(call.op(), a, b, values.data<Real<T>>(), ranks.data<int64_t>(), problem.rcond);
  });
  bool is_full = problem.has_residuals && rows > columns;
  for (const int64_t rank : ranks.elements<int64_t>())
    is_full = is_full && (rank == columns || !problem.has_singular_values);
  Tensor residuals = Tensor::empty(is_full ? batch_sizes(tall, {right}) : Dims{0}, to_real(dtype));
  if (is_full) {
    visit(call.op(), "self", dtype, LapackTypes(),
          [&]<class T>(Element<T>) { residuals_of<T>(b, columns, residuals.data<Real<T>>()); });
  }
  Dims sizes = batch_sizes(tall, {columns, right});
  Tensor solution = top(columns);
  if (problem.is_vector) {
    sizes.erase(sizes.size() - 1);
    Dims strides(work.strides());
    strides.erase(strides.size() - 1);
    solution = work.alias(sizes, strides, 0);
  }
  const auto give = [&](int k, Tensor made) {
    if (call.form.is_functional()) return call.give(k, std::move(made));
    const Tensor result = result_for(call, made.sizes(), made.dtype(), device, nullptr, k);
    cast(result.info(), made.info());
  };
  give(0, solution);
  give(1, residuals);
  give(2, problem.has_rank ? ranks : Tensor::empty(Dims{0}, Dtype::I64));
  give(3, problem.has_singular_values ? values : Tensor::empty(Dims{0}, to_real(dtype)));
}

}  // namespace

Operator operator_kLinalgLstsq() {
  return routine_of<ops::kLinalgLstsq, &linalg_lstsq>(kQuickProduct);
}

}  // namespace tenon::kernels::cpu
