// SPDX-License-Identifier: Apache-2.0
// Matrix products from plain loops, for builds without a maths library: correct but slow.
#pragma once

#include <memory>

#include "kernels/common/maths/maths.h"

namespace tenon::kernels::cpu {

// Accumulates one row of the result at a time in a wider type, and follows b's memory if b is not
// transposed.
template <class Wide, class T, class Result>
void plain_product(bool transpose_a, bool transpose_b, int m, int n, int k, const T* a, int64_t lda,
                   const T* b, int64_t ldb, Result* result, int64_t ld_result) {
  const auto row = std::make_unique<Wide[]>(static_cast<size_t>(n));
  for (int64_t i = 0; i < m; ++i) {
    std::fill_n(row.get(), n, Wide(0));
    for (int64_t l = 0; l < k; ++l) {
      const Wide factor(transpose_a ? a[l * lda + i] : a[i * lda + l]);
      for (int64_t j = 0; j < n; ++j) {
        row[j] += maths::multiply(factor, Wide(transpose_b ? b[j * ldb + l] : b[l * ldb + j]));
      }
    }
    for (int64_t j = 0; j < n; ++j) result[i * ld_result + j] = Result(row[j]);
  }
}

}  // namespace tenon::kernels::cpu
