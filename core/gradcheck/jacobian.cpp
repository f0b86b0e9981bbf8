// SPDX-License-Identifier: Apache-2.0
#include "gradcheck/jacobian.h"

#include "base/check.h"

namespace tenon::gradcheck {

Numbers read_numbers(const tensor::Tensor& tensor) {
  const Elements elements = read_elements(tensor);
  Numbers numbers;
  numbers.reserve(number_count(tensor));
  for (const auto& element : elements) numbers.push_back(element.real());
  if (!tensor::is_complex(tensor.dtype())) return numbers;
  for (const auto& element : elements) numbers.push_back(element.imag());
  return numbers;
}

std::vector<Jacobian> collect_jacobians(const CheckedFunction& function, size_t variable,
                                        const Slopes& slopes) {
  const tensor::Tensor& tensor = function.variable(variable);
  const auto columns = static_cast<size_t>(tensor.numel());
  const bool is_complex = tensor::is_complex(tensor.dtype());
  std::vector<Jacobian> jacobians;
  Elements direction(columns);
  for (size_t column = 0; column < columns; ++column) {
    for (const std::complex<double> axis : {std::complex<double>(1, 0), {0, 1}}) {
      if (axis.imag() != 0 && !is_complex) continue;
      direction[column] = axis;
      const std::vector<Numbers> found = slopes(direction);
      if (jacobians.empty()) {
        for (const Numbers& output : found) jacobians.emplace_back(output.size(), columns);
      }
      TENON_CHECK_ARG(found.size() == jacobians.size(), function.name(),
                      ": function must return the same number of outputs each time, got ",
                      found.size(), " after ", jacobians.size());
      for (size_t i = 0; i < found.size(); ++i) {
        TENON_CHECK_ARG(found[i].size() == jacobians[i].rows, function.name(),
                        ": function must return outputs of the same sizes each time, got ",
                        found[i].size(), " elements after ", jacobians[i].rows);
        for (size_t row = 0; row < found[i].size(); ++row) {
          jacobians[i].at(row, column) += axis * found[i][row];
        }
      }
    }
    direction[column] = 0;
  }
  return jacobians;
}

}  // namespace tenon::gradcheck
