// SPDX-License-Identifier: Apache-2.0
// One matrix product on the CPU: maths libraries for float, double and their complex types, a plain
// loop for integers, and float as the intermediate type of small floats.
#pragma once

#include "kernels/common/maths/element.h"

namespace tenon::kernels::cpu {

// A matrix in memory. Strides are in elements.
struct Matrix {
  const void* data;
  int64_t rows;
  int64_t columns;
  int64_t row_stride;
  int64_t column_stride;
};

// Dtypes that have a matrix product.
using GemmTypes = NumberTypes;

// Whether a product may use several threads, or is itself one of several that run in parallel.
enum class ProductThreads { All, One };

// Writes a * b, row-major and contiguous, to `result`. The dtype is one of GemmTypes.
void gemm(const char* op, Dtype dtype, const Matrix& a, const Matrix& b, void* result,
          ProductThreads threads = ProductThreads::All);

}  // namespace tenon::kernels::cpu
