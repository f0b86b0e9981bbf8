// SPDX-License-Identifier: Apache-2.0
// Matrix products by dtype.
#include "kernels/cpu/gemm.h"

#include <climits>
#include <cstring>
#include <memory>

#include "kernels/common/maths.h"
#include "kernels/common/shape.h"
#include "kernels/cpu/blas.h"
#include "kernels/cpu/cast.h"
#include "tenon/hpp/parallel.hpp"

namespace tenon::kernels::cpu {
namespace {

tenon_tensor_info describe(const Matrix& matrix, Dtype dtype, const int64_t* sizes,
                           const int64_t* strides) {
  tenon_tensor_info info{};
  info.data = const_cast<void*>(matrix.data);
  info.sizes = sizes;
  info.strides = strides;
  info.ndim = 2;
  info.numel = matrix.rows * matrix.columns;
  info.dtype = static_cast<tenon_dtype>(dtype);
  return info;
}

// A row-major copy, perhaps of another dtype, that lives as long as `owner`.
Matrix packed(const Matrix& matrix, Dtype from, Dtype to, Tensor& owner) {
  const int64_t sizes[] = {matrix.rows, matrix.columns};
  const int64_t strides[] = {matrix.row_stride, matrix.column_stride};
  owner = Tensor::empty(sizes, to);
  cast(owner.info(), describe(matrix, from, sizes, strides));
  return {owner.raw_data(), matrix.rows, matrix.columns, std::max<int64_t>(matrix.columns, 1), 1};
}

// How BLAS sees a matrix: its leading dimension, and whether it lies there transposed.
struct Layout2d {
  bool fits = false;
  bool transposed = false;
  int64_t leading = 0;
};

Layout2d layout_of(const Matrix& m) {
  Layout2d layout;
  const auto try_order = [&](int64_t outer, int64_t inner, int64_t outer_stride,
                             int64_t inner_stride, bool transposed) {
    if (layout.fits || (inner_stride != 1 && inner > 1)) return;
    if (outer > 1 && outer_stride < std::max<int64_t>(inner, 1)) return;
    layout = {true, transposed, outer > 1 ? outer_stride : std::max<int64_t>(inner, 1)};
  };
  try_order(m.rows, m.columns, m.row_stride, m.column_stride, false);
  try_order(m.columns, m.rows, m.column_stride, m.row_stride, true);
  layout.fits = layout.fits && layout.leading <= INT_MAX;
  return layout;
}

// A thread's part of a product has so many products of elements at least, and so many rows or
// columns of the result at a time: what a library's innermost loops take.
constexpr int64_t kSharedProducts = int64_t{1} << 19;
constexpr int64_t kTogether = 32;

// A product of floats in as many parts of the result as there are threads. Each element is added up
// along k, in the same order in each part.
void shared_gemm(const Layout2d& a, const Layout2d& b, int m, int n, int k, const float* left,
                 const float* right, float* result, ProductThreads threads) {
  const int64_t longer = std::max(m, n);
  const int64_t products = int64_t{m} * n * k;
  int64_t parts = threads == ProductThreads::One ? 1 : num_threads();
  parts = std::min({parts, products / kSharedProducts, longer / kTogether});
  if (parts <= 1) {
    return blas_gemm(a.transposed, b.transposed, m, n, k, left, static_cast<int>(a.leading), right,
                     static_cast<int>(b.leading), result, n);
  }
  const int64_t step = ((longer - 1) / parts / kTogether + 1) * kTogether;
  parallel_for(longer, step, [&](int64_t begin, int64_t end) {
    const auto count = static_cast<int>(end - begin);
    if (m >= n) {
      const float* const rows = left + begin * (a.transposed ? 1 : a.leading);
      blas_gemm(a.transposed, b.transposed, count, n, k, rows, static_cast<int>(a.leading), right,
                static_cast<int>(b.leading), result + begin * n, n);
    } else {
      const float* const columns = right + begin * (b.transposed ? b.leading : 1);
      blas_gemm(a.transposed, b.transposed, m, count, k, left, static_cast<int>(a.leading), columns,
                static_cast<int>(b.leading), result + begin, n);
    }
  });
}

template <class T>
void blas_product(Matrix a, Matrix b, T* result, ProductThreads threads) {
  Tensor owner_a, owner_b;
  Layout2d layout_a = layout_of(a);
  Layout2d layout_b = layout_of(b);
  if (!layout_a.fits) {
    a = packed(a, element_dtype<T>, element_dtype<T>, owner_a);
    layout_a = layout_of(a);
  }
  if (!layout_b.fits) {
    b = packed(b, element_dtype<T>, element_dtype<T>, owner_b);
    layout_b = layout_of(b);
  }
  if (!layout_a.fits || !layout_b.fits || a.rows > INT_MAX || b.columns > INT_MAX) {
    fail(TENON_ERROR_NOT_SUPPORTED, {"aten::mm: not supported for sizes beyond 2^31 - 1"});
  }
  const auto m = static_cast<int>(a.rows), n = static_cast<int>(b.columns);
  const auto k = static_cast<int>(a.columns);
  const T* const left = static_cast<const T*>(a.data);
  const T* const right = static_cast<const T*>(b.data);
  if constexpr (std::is_same_v<T, float>) {
    shared_gemm(layout_a, layout_b, m, n, k, left, right, result, threads);
  } else {
    blas_gemm(layout_a.transposed, layout_b.transposed, m, n, k, left,
              static_cast<int>(layout_a.leading), right, static_cast<int>(layout_b.leading),
              result);
  }
}

template <class T>
void integer_product(const Matrix& a, Matrix b, T* result) {
  Tensor owner;
  if (b.column_stride != 1) b = packed(b, element_dtype<T>, element_dtype<T>, owner);
  const auto* left = static_cast<const T*>(a.data);
  const auto* right = static_cast<const T*>(b.data);
  // Row by row, so that the innermost loop runs along memory; products and sums wrap.
  for (int64_t i = 0; i < a.rows; ++i) {
    T* out = result + i * b.columns;
    std::fill_n(out, b.columns, T(0));
    for (int64_t k = 0; k < a.columns; ++k) {
      const auto factor = static_cast<uint64_t>(left[i * a.row_stride + k * a.column_stride]);
      const T* row = right + k * b.row_stride;
      for (int64_t j = 0; j < b.columns; ++j) {
        out[j] =
            static_cast<T>(static_cast<uint64_t>(out[j]) + factor * static_cast<uint64_t>(row[j]));
      }
    }
  }
}

// So many neighbours in a row of the result are added up in registers.
constexpr int64_t kSums = 8;

// The elements of one row from column `j` on; those of `b` are `stride` apart.
template <int64_t kCount, class T>
void sum_products(const T* row, int64_t step, const Matrix& b, int64_t stride, int64_t j, T* out) {
  const T* column = static_cast<const T*>(b.data) + j * stride;
  T sums[kCount] = {};
  for (int64_t k = 0; k < b.rows; ++k) {
    const T factor = row[k * step];
    for (int64_t i = 0; i < kCount; ++i) {
      sums[i] += maths::multiply(factor, column[k * b.row_stride + i * stride]);
    }
  }
  std::copy_n(sums, kCount, out + j);
}

// For few elements: the whole of b stays in the nearest cache.
template <class T>
void few_product(const Matrix& a, const Matrix& b, T* result) {
  for (int64_t i = 0; i < a.rows; ++i) {
    const T* row = static_cast<const T*>(a.data) + i * a.row_stride;
    T* const out = result + i * b.columns;
    int64_t j = 0;
    for (; j + kSums <= b.columns; j += kSums) {
      if (b.column_stride == 1) {
        sum_products<kSums>(row, a.column_stride, b, 1, j, out);
      } else {
        sum_products<kSums>(row, a.column_stride, b, b.column_stride, j, out);
      }
    }
    for (; j < b.columns; ++j) sum_products<1>(row, a.column_stride, b, b.column_stride, j, out);
  }
}

// Up to so many products the loops above are done before a library has looked at its arguments.
constexpr int64_t kFewProducts = 1024;

template <class T>
void float_product(const Matrix& a, const Matrix& b, T* result, ProductThreads threads) {
  // No overflow: the factors count elements of tensors that exist.
  if (a.rows * a.columns <= kFewProducts && a.rows * a.columns * b.columns <= kFewProducts) {
    few_product(a, b, result);
  } else {
    blas_product(a, b, result, threads);
  }
}

// Small floats are multiplied and added up as float, then rounded once.
template <class T>
void small_product(const Matrix& a, const Matrix& b, T* result, ProductThreads threads) {
  Tensor owner_a, owner_b;
  const Matrix wide_a = packed(a, element_dtype<T>, Dtype::F32, owner_a);
  const Matrix wide_b = packed(b, element_dtype<T>, Dtype::F32, owner_b);
  const int64_t numel = a.rows * b.columns;
  const auto wide = std::make_unique_for_overwrite<float[]>(static_cast<size_t>(numel));
  float_product<float>(wide_a, wide_b, wide.get(), threads);
  std::copy_n(wide.get(), numel, result);
}

}  // namespace

void gemm(const char* op, Dtype dtype, const Matrix& a, const Matrix& b, void* result,
          ProductThreads threads) {
  if (a.rows == 0 || b.columns == 0) return;
  if (a.columns == 0) {
    std::memset(result, 0, static_cast<size_t>(a.rows * b.columns * size_of(dtype)));
    return;
  }
  visit(op, "self", dtype, Joined<GemmTypes, Float8Types>(), [&]<class T>(Element<T>) {
    if constexpr (std::is_integral_v<T>) {
      integer_product<T>(a, b, static_cast<T*>(result));
    } else if constexpr (is_small_float<T>) {
      small_product<T>(a, b, static_cast<T*>(result), threads);
    } else {
      float_product<T>(a, b, static_cast<T*>(result), threads);
    }
  });
}

}  // namespace tenon::kernels::cpu
