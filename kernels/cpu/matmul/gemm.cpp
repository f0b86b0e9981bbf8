// SPDX-License-Identifier: Apache-2.0
// Matrix products by dtype.
#include "kernels/cpu/matmul/gemm.h"

#include <climits>
#include <cstring>
#include <memory>

#include "kernels/common/maths/maths.h"
#include "kernels/common/shape.h"
#include "kernels/cpu/loops/cast.h"
#include "kernels/cpu/matmul/blas.h"
#include "kernels/cpu/vector_level.h"
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

// Returns a row-major copy in dtype `to`, which `owner` keeps.
Matrix packed(const Matrix& matrix, Dtype from, Dtype to, Tensor& owner) {
  const int64_t sizes[] = {matrix.rows, matrix.columns};
  const int64_t strides[] = {matrix.row_stride, matrix.column_stride};
  owner = Tensor::empty(sizes, to);
  cast(owner.info(), describe(matrix, from, sizes, strides));
  return {owner.raw_data(), matrix.rows, matrix.columns, std::max<int64_t>(matrix.columns, 1), 1};
}

// The layout of a matrix for BLAS: its leading dimension, and whether it is stored transposed.
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

// Minimum number of multiplications of a part of a product.
constexpr int64_t kSharedProducts = int64_t{1} << 19;
// Number of rows or columns of the result that oneDNN's innermost loops process without a
// remainder; twice this number suits the loops of every instruction set.
constexpr int64_t kTogether = 48;
// If both sides of the result are longer than about twice kUncopied, oneDNN copies the matrices
// first. Parts then need at least these lengths of the longer and the shorter side, or copying
// takes longer than it saves.
constexpr int64_t kUncopied = 263;
constexpr int64_t kCopiedLong = 384;
constexpr int64_t kCopiedShort = 1024;

int64_t round_up(int64_t count, int64_t step) { return (count + step - 1) / step * step; }

// Minimum length of parts if oneDNN repacks the second factor, as it does for a transposed one and
// always for bfloat16, and the number that the length is a multiple of. (Measured for
// 128 x 512 x 512: parts of 96 columns took 1.5 times as long as the whole product in one call,
// parts of 128 columns took as long as it.)
constexpr int64_t kLaidOut = 128;
constexpr int64_t kLane = 64;

// The size of the parts along the longer and the shorter side of the result. It depends on sizes
// and layouts only, not on the number of threads: oneDNN's order of summation depends on the sizes
// of the call, and results must not depend on the number of threads.
struct GemmParts {
  GemmParts(int64_t longer, int64_t shorter, int64_t k, bool lays_out)
      : longer_step(longer), shorter_step(shorter) {
    if (longer * shorter * k < 2 * kSharedProducts) return;
    if (longer * shorter <= kUncopied * (longer + shorter)) {
      const int64_t least = kSharedProducts / (shorter * k) + 1;
      longer_step = lays_out ? split(longer, std::max(least, kLaidOut), kLane)
                             : std::min(longer, round_up(least, 2 * kTogether));
    } else {
      longer_step = split(longer, kCopiedLong, kTogether);
      shorter_step = split(shorter, kCopiedShort, kTogether);
    }
    longer_count = (longer - 1) / longer_step + 1;
    shorter_count = (shorter - 1) / shorter_step + 1;
  }
  static int64_t split(int64_t size, int64_t least, int64_t together) {
    return round_up((size - 1) / std::max<int64_t>(size / least, 1) + 1, together);
  }

  int64_t longer_step;
  int64_t shorter_step;
  int64_t longer_count = 1;
  int64_t shorter_count = 1;
};

template <class T>
void shared_gemm(const Layout2d& a, const Layout2d& b, int m, int n, int k, const T* left,
                 const T* right, float* result, ProductThreads threads) {
  const bool is_tall = m >= n;
  const bool lays_out = std::is_same_v<T, BFloat16> || b.transposed;
  const GemmParts parts(std::max(m, n), std::min(m, n), k, lays_out);
  const int64_t row_step = is_tall ? parts.longer_step : parts.shorter_step;
  const int64_t column_step = is_tall ? parts.shorter_step : parts.longer_step;
  const int64_t across = is_tall ? parts.shorter_count : parts.longer_count;
  const auto multiply = [&](int64_t begin, int64_t end) {
    for (int64_t part = begin; part < end; ++part) {
      const int64_t row = part / across * row_step, column = part % across * column_step;
      const T* const rows = left + row * (a.transposed ? 1 : a.leading);
      const T* const columns = right + column * (b.transposed ? b.leading : 1);
      blas_gemm(a.transposed, b.transposed, static_cast<int>(std::min(row_step, m - row)),
                static_cast<int>(std::min(column_step, n - column)), k, rows,
                static_cast<int>(a.leading), columns, static_cast<int>(b.leading),
                result + row * n + column, n);
    }
  };
  const int64_t count = parts.longer_count * parts.shorter_count;
  if (threads == ProductThreads::One || count == 1) return multiply(0, count);
  parallel_for(count, 1, multiply);
}

// Products of bfloat16 are accumulated and returned in float.
template <class T, class Result>
void blas_product(Matrix a, Matrix b, Result* result, ProductThreads threads) {
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
  if constexpr (std::is_same_v<Result, float>) {
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
  // Row by row, so that the innermost loop follows memory. Products and sums wrap.
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

// For up to this number of multiplications, with the last vector of columns counted whole, the
// loops below finish before a library has checked its arguments. No sum may have more than
// kFewTerms terms, and a factor that has to be repacked must be small or be used for several rows.
constexpr int64_t kFewProducts = 8192;
constexpr int64_t kFewTerms = 256;
constexpr int64_t kFewLaidOut = 1024;

bool has_few_products(const Matrix& a, const Matrix& b) {
  // Cannot overflow, because the factors count elements of existing tensors.
  return a.columns <= kFewTerms && a.rows * a.columns <= kFewProducts &&
         a.rows * a.columns * round_up(b.columns, 16) <= kFewProducts &&
         (b.column_stride == 1 || a.rows >= 4 || b.rows * b.columns <= kFewLaidOut);
}

// Computes one vector of adjacent elements in each of kRows rows of the result, and stores the
// first `width` of them. Rows of `column` are `next` elements apart.
template <int kBytes, int kRows, class T>
[[gnu::always_inline]] inline void few_sums(const Matrix& a, const T* row, const T* column,
                                            int64_t next, T* out, int64_t out_next, int64_t width) {
  using Vector [[gnu::vector_size(kBytes)]] = T;
  Vector sums[kRows] = {};
  for (int64_t k = 0; k < a.columns; ++k, column += next) {
    Vector terms;
    std::memcpy(&terms, column, kBytes);
    for (int r = 0; r < kRows; ++r) sums[r] += row[r * a.row_stride + k * a.column_stride] * terms;
  }
  for (int r = 0; r < kRows; ++r) {
    std::memcpy(out + r * out_next, &sums[r], static_cast<size_t>(width) * sizeof(T));
  }
}

template <int kBytes, class T>
[[gnu::always_inline]] inline void few_rows(const Matrix& a, const Matrix& b, T* result) {
  constexpr int64_t kLanes = kBytes / sizeof(T);
  alignas(kBytes) T panel[kFewTerms * kLanes];
  for (int64_t j = 0; j < b.columns; j += kLanes) {
    const int64_t width = std::min(kLanes, b.columns - j);
    const T* column = static_cast<const T*>(b.data) + j * b.column_stride;
    int64_t next = b.row_stride;
    if (b.column_stride != 1 || width < kLanes) {
      for (int64_t k = 0; k < b.rows; ++k) {
        T* const lanes = panel + k * kLanes;
        for (int64_t i = 0; i < width; ++i) {
          lanes[i] = column[k * b.row_stride + i * b.column_stride];
        }
        std::fill(lanes + width, lanes + kLanes, T(0));
      }
      column = panel;
      next = kLanes;
    }
    const T* row = static_cast<const T*>(a.data);
    T* out = result + j;
    int64_t i = 0;
    for (; i + 4 <= a.rows; i += 4, row += 4 * a.row_stride, out += 4 * b.columns) {
      few_sums<kBytes, 4>(a, row, column, next, out, b.columns, width);
    }
    for (; i < a.rows; ++i, row += a.row_stride, out += b.columns) {
      few_sums<kBytes, 1>(a, row, column, next, out, b.columns, width);
    }
  }
}
#if defined(TENON_AVX2)
template <class T>
TENON_AVX2 void few_rows_avx2(const Matrix& a, const Matrix& b, T* result) {
  few_rows<32>(a, b, result);
}
template <class T>
TENON_AVX512 void few_rows_avx512(const Matrix& a, const Matrix& b, T* result) {
  few_rows<64>(a, b, result);
}
#endif
// Computes one element after another.
template <class T>
void single_sums(const Matrix& a, const Matrix& b, T* result) {
  const T* row = static_cast<const T*>(a.data);
  for (int64_t i = 0; i < a.rows; ++i, row += a.row_stride) {
    const T* column = static_cast<const T*>(b.data);
    for (int64_t j = 0; j < b.columns; ++j, column += b.column_stride) {
      T sum = T(0);
      for (int64_t k = 0; k < a.columns; ++k) {
        sum += maths::multiply(row[k * a.column_stride], column[k * b.row_stride]);
      }
      *result++ = sum;
    }
  }
}

// Up to this number of multiplications neither vectors nor a library are worthwhile.
constexpr int64_t kSingleProducts = 64;

bool has_single_sums(const Matrix& a, const Matrix& b) {
  return a.rows * a.columns <= kSingleProducts && a.rows * a.columns * b.columns <= kSingleProducts;
}

template <class T>
void few_product(const Matrix& a, const Matrix& b, T* result) {
#if defined(TENON_AVX2)
  if (vector_level == 2) return few_rows_avx512(a, b, result);
  if (vector_level == 1) return few_rows_avx2(a, b, result);
#endif
  few_rows<16>(a, b, result);
}

template <class T>
void float_product(const Matrix& a, const Matrix& b, T* result, ProductThreads threads) {
  if (has_single_sums(a, b)) return single_sums(a, b, result);
  if constexpr (std::is_floating_point_v<T>) {
    if (has_few_products(a, b)) return few_product(a, b, result);
  }
  blas_product<T>(a, b, result, threads);
}

// Small floats are multiplied and summed in float, then rounded once.
template <class T>
void small_product(const Matrix& a, const Matrix& b, T* result, ProductThreads threads) {
  const int64_t numel = a.rows * b.columns;
  const auto wide = std::make_unique_for_overwrite<float[]>(static_cast<size_t>(numel));
  bool is_done = false;
  if constexpr (std::is_same_v<T, BFloat16>) {
    is_done = !has_few_products(a, b) && has_bfloat16_gemm();
    if (is_done) blas_product<T>(a, b, wide.get(), threads);
  }
  if (!is_done) {
    Tensor owner_a, owner_b;
    const Matrix wide_a = packed(a, element_dtype<T>, Dtype::F32, owner_a);
    const Matrix wide_b = packed(b, element_dtype<T>, Dtype::F32, owner_b);
    float_product<float>(wide_a, wide_b, wide.get(), threads);
  }
  // For a few elements, planning a cast would dominate the time.
  constexpr int64_t kFewElements = 1024;
  if (numel <= kFewElements) {
    std::copy_n(wide.get(), numel, result);
    return;
  }
  const int64_t sizes[] = {1, numel}, strides[] = {numel, 1};
  const auto line = [&](const void* data, Dtype dtype) {
    return describe({data, 1, numel, numel, 1}, dtype, sizes, strides);
  };
  cast(line(result, element_dtype<T>), line(wide.get(), Dtype::F32));
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
