// SPDX-License-Identifier: Apache-2.0
// One matrix product on the CPU: maths libraries for float, double and their complex types, a plain
// loop for integers, and float in between for the small floats.
#pragma once

#include "kernels/common/maths/element.h"

namespace tenon::kernels::cpu {

// A matrix in memory; strides in elements.
struct Matrix {
  const void* data;
  int64_t rows;
  int64_t columns;
  int64_t row_stride;
  int64_t column_stride;
};

// Dtypes with a product.
using GemmTypes = NumberTypes;

// Whether a product is shared by threads, or one of several that are.
enum class ProductThreads { All, One };

// Writes a * b, row-major and without gaps, to `result`. The dtype is one of GemmTypes.
void gemm(const char* op, Dtype dtype, const Matrix& a, const Matrix& b, void* result,
          ProductThreads threads = ProductThreads::All);

}  // namespace tenon::kernels::cpu
