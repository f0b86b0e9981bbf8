// SPDX-License-Identifier: Apache-2.0
// Jacobian: the derivatives of one output with respect to one variable, as a matrix.
#pragma once

#include <functional>

#include "gradcheck/elements.h"
#include "gradcheck/function.h"
#include "tensor/dtype.h"

namespace tenon::gradcheck {

/// The real numbers that a tensor consists of: its elements, or all real parts followed by all
/// imaginary parts if it is complex.
using Numbers = std::vector<double>;

/// Throws the errors of the copy to the host.
Numbers read_numbers(const tensor::Tensor& tensor);

inline size_t number_count(const tensor::Tensor& tensor) noexcept {
  const auto elements = static_cast<size_t>(tensor.numel());
  return tensor::is_complex(tensor.dtype()) ? 2 * elements : elements;
}

/// A matrix with one row for each real number of the output and one column for each element of the
/// variable. For a complex element a + bi the entry is the derivative with respect to a plus i
/// times the derivative with respect to b, the same convention that gradients use.
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

/// Computes the directional derivative of each output's numbers, along a direction of a variable.
using Slopes = std::function<std::vector<Numbers>(const Elements& direction)>;

/// Returns the Jacobian of each output with respect to one variable, built column by column; none
/// if the variable has no elements. Throws TENON_ERROR_INVALID_ARGUMENT if the outputs change in
/// number or size.
std::vector<Jacobian> collect_jacobians(const CheckedFunction& function, size_t variable,
                                        const Slopes& slopes);

}  // namespace tenon::gradcheck
