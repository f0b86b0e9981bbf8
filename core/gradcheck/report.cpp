// SPDX-License-Identifier: Apache-2.0
#include "gradcheck/report.h"

#include <cstdio>

#include "gradcheck/guess.h"

namespace tenon::gradcheck {

namespace {

constexpr size_t kMostPrinted = 8;  // rows and columns of a matrix

std::string print_number(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", number == 0 ? 0.0 : number);
  return text;
}

// The entry with the largest error, and the number of wrong entries.
struct WorstEntry {
  size_t row = 0;
  size_t column = 0;
  size_t wrong = 0;
  double by = -1;
};

WorstEntry find_worst(const Jacobian& numerical, const Jacobian& analytical,
                      const Tolerance& tolerance) {
  WorstEntry worst;
  for (size_t row = 0; row < numerical.rows; ++row) {
    for (size_t column = 0; column < numerical.columns; ++column) {
      const auto expected = numerical.at(row, column);
      const auto actual = analytical.at(row, column);
      if (tolerance.allows(expected, actual)) continue;
      ++worst.wrong;
      const double by = std::abs(actual - expected);
      if (worst.by >= 0 && !(by > worst.by)) continue;
      worst.row = row;
      worst.column = column;
      worst.by = std::isnan(by) ? INFINITY : by;
    }
  }
  return worst;
}

void append_matrix(std::string& text, const char* name, const Jacobian& matrix) {
  text += name;
  text += ":\n";
  for (size_t row = 0; row < std::min(matrix.rows, kMostPrinted); ++row) {
    text += "  [";
    for (size_t column = 0; column < std::min(matrix.columns, kMostPrinted); ++column) {
      if (column != 0) text += ", ";
      text += print_entry(matrix.at(row, column));
    }
    text += matrix.columns > kMostPrinted ? ", ...]\n" : "]\n";
  }
  if (matrix.rows > kMostPrinted) text += "  ...\n";
}

// Returns "element [0, 1]" for a row of the Jacobian, prefixed with the part if the output is
// complex.
std::string print_row(const tensor::Tensor& output, size_t row) {
  const auto elements = static_cast<size_t>(output.numel());
  const char* part = !tensor::is_complex(output.dtype()) ? "element "
                     : row < elements                    ? "real part of element "
                                                         : "imaginary part of element ";
  return part + print_place(output.size_span(), row % elements);
}

}  // namespace

std::string print_entry(std::complex<double> entry) {
  std::string text = print_number(entry.real());
  if (entry.imag() == 0) return text;
  const std::string imag = print_number(entry.imag());
  if (imag[0] != '-') text += '+';
  return text + imag + "i";
}

std::string print_pair(const CheckedFunction& function, const Pair& pair) {
  return base::concat("output ", pair.output, " with respect to input ",
                      function.position(pair.variable));
}

std::string report_mismatch(const CheckedFunction& function, const Pair& pair,
                            const tensor::Tensor& output, const Jacobian& numerical,
                            const Jacobian& analytical, const char* what,
                            const Tolerance& tolerance) {
  const WorstEntry worst = find_worst(numerical, analytical, tolerance);
  if (worst.wrong == 0) return "";
  const tensor::Tensor& variable = function.variable(pair.variable);
  std::string text = base::concat(
      "Jacobian mismatch for ", print_pair(function, pair), ": the derivative of ",
      print_row(output, worst.row), " by element ", print_place(variable.size_span(), worst.column),
      " is ", print_entry(numerical.at(worst.row, worst.column)), " by differences, ",
      print_entry(analytical.at(worst.row, worst.column)), " in ", what, " mode; ", worst.wrong,
      " of ", numerical.entries.size(), " entries differ\n");
  const std::string guess = guess_mistake(output, variable, numerical, analytical, tolerance);
  if (!guess.empty()) text += "perhaps " + guess + "\n";
  append_matrix(text, "by differences, a row for each element of the output", numerical);
  append_matrix(text, base::concat("in ", what, " mode").c_str(), analytical);
  text.pop_back();
  return text;
}

}  // namespace tenon::gradcheck
