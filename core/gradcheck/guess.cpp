// SPDX-License-Identifier: Apache-2.0
#include "gradcheck/guess.h"

#include <algorithm>
#include <utility>

namespace tenon::gradcheck {

namespace {

// Returns true if a mistake turns the numerical entries into the analytical ones; `make` applies
// the mistake to one entry.
template <class Make>
bool explains(const Jacobian& numerical, const Jacobian& analytical, const Tolerance& tolerance,
              Make&& make) {
  for (size_t row = 0; row < numerical.rows; ++row) {
    for (size_t column = 0; column < numerical.columns; ++column) {
      if (!tolerance.allows(make(row, column), analytical.at(row, column))) return false;
    }
  }
  return true;
}

// Returns the ratio of the analytical to the numerical entry, at the largest numerical entry.
std::complex<double> factor_of(const Jacobian& numerical, const Jacobian& analytical) {
  const auto largest = std::ranges::max_element(
      numerical.entries, {}, [](std::complex<double> entry) { return std::abs(entry); });
  return analytical.entries[static_cast<size_t>(largest - numerical.entries.begin())] / *largest;
}

// Returns the column of an element after the last two dims are exchanged.
size_t exchanged(size_t column, size_t size) {
  const size_t matrix = column / (size * size) * (size * size);
  const size_t at = column % (size * size);
  return matrix + at % size * size + at / size;
}

std::string print_factor(std::complex<double> factor) {
  const double rounded = std::round(factor.real() * 1e4) / 1e4;
  if (rounded == -1) return "the negative of what it should be: a sign is wrong";
  if (rounded == 2) return "twice what it should be: something is added twice";
  if (rounded == 0.5) return "half of what it should be: a factor 2 is missing";
  return base::concat(
      rounded, " times what it should be: a factor is wrong, or a mean is confused with a sum");
}

}  // namespace

std::string guess_mistake(const tensor::Tensor& output, const tensor::Tensor& variable,
                          const Jacobian& numerical, const Jacobian& analytical,
                          const Tolerance& tolerance) {
  const auto right = [&](size_t row, size_t column) { return numerical.at(row, column); };
  const auto matches = [&](auto&& make) {
    return explains(numerical, analytical, tolerance, std::forward<decltype(make)>(make));
  };
  const std::complex<double> zero = 0;
  if (matches([&](size_t, size_t) { return zero; })) {
    return "no gradient reaches the input: something on the path is detached, or a formula omits "
           "it";
  }
  // A formula that omits conj() yields conjugated entries for real parts of the output, and negated
  // conjugates for imaginary parts.
  const auto elements = static_cast<size_t>(output.numel());
  if (matches([&](size_t row, size_t column) {
        return (row < elements ? 1.0 : -1.0) * std::conj(right(row, column));
      })) {
    return "a conjugate is missing: gradients must be multiplied by conj() of the derivative";
  }
  const std::complex<double> factor = factor_of(numerical, analytical);
  if (std::abs(factor.imag()) < 1e-6 * std::abs(factor) &&
      matches([&](size_t row, size_t column) { return factor.real() * right(row, column); })) {
    return base::concat("the gradient is ", print_factor(factor));
  }
  const tensor::Dims sizes = variable.size_span();
  const size_t ndim = sizes.size();
  if (ndim >= 2 && sizes[ndim - 1] == sizes[ndim - 2] && matches([&](size_t row, size_t column) {
        return right(row, exchanged(column, static_cast<size_t>(sizes[ndim - 1])));
      })) {
    return "the gradient is transposed";
  }
  if (matches([&](size_t row, size_t column) {
        return analytical.at(row, column) == zero ? zero : right(row, column);
      })) {
    return "nonzero derivatives are missing: perhaps the sum over broadcast elements, or one of "
           "several uses of the input";
  }
  return "";
}

}  // namespace tenon::gradcheck
