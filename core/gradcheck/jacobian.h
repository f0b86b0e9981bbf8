// SPDX-License-Identifier: Apache-2.0
// Jacobian: derivatives of an output by a variable, as a matrix of numbers.
#pragma once

#include <functional>

#include "gradcheck/elements.h"
#include "gradcheck/function.h"
#include "tensor/dtype.h"

namespace tenon::gradcheck {

/// The real numbers that tensors consist of: their elements, of a complex one all real parts and
/// then all imaginary parts.
using Numbers = std::vector<double>;

/// Throws what copying raised.
Numbers read_numbers(const tensor::Tensor& tensor);

inline size_t number_count(const tensor::Tensor& tensor) noexcept {
  const auto elements = static_cast<size_t>(tensor.numel());
  return tensor::is_complex(tensor.dtype()) ? 2 * elements : elements;
}

/// One row for each real number of the output, one column for each element of the variable. An
/// entry by a complex element a + bi is the derivative by a plus i times that by b: as gradients
/// are.
struct Jacobian {
  size_t rows = 0;
  size_t columns = 0;
  Elements entries = {};  // row by row

  Jacobian(size_t its_rows, size_t its_columns)
      : rows(its_rows), columns(its_columns), entries(its_rows * its_columns) {}
  std::complex<double>& at(size_t row, size_t column) noexcept {
    return entries[row * columns + column];
  }
  const std::complex<double>& at(size_t row, size_t column) const noexcept {
    return entries[row * columns + column];
  }
};

/// How fast the numbers of each output change where a variable moves along a direction.
using Slopes = std::function<std::vector<Numbers>(const Elements& direction)>;

/// The Jacobian of each output by one variable, column by column; of a variable without elements
/// none. Throws TENON_ERROR_INVALID_ARGUMENT where outputs change in number or size.
std::vector<Jacobian> collect_jacobians(const CheckedFunction& function, size_t variable,
                                        const Slopes& slopes);

}  // namespace tenon::gradcheck
