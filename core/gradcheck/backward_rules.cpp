// SPDX-License-Identifier: Apache-2.0
#include "gradcheck/backward_rules.h"

#include "base/check.h"
#include "gradcheck/random.h"
#include "gradcheck/report.h"
#include "tensor/layout.h"

namespace tenon::gradcheck {

namespace {

using tensor::Tensor;
using tensor::TensorPtr;

std::string print_input(const CheckedFunction& function, size_t variable) {
  return base::concat("gradient of input ", function.position(variable));
}

// Checks that gradients have the sizes and dtypes of their inputs. The engine ensures this, but a
// hook may have replaced a gradient.
std::string check_likeness(const CheckedFunction& function, const std::vector<TensorPtr>& gradients,
                           bool dtypes) {
  for (size_t i = 0; i < gradients.size(); ++i) {
    if (gradients[i] == nullptr) continue;
    const Tensor& gradient = *gradients[i];
    const Tensor& variable = function.variable(i);
    const std::string what = print_input(function, i);
    if (!std::ranges::equal(gradient.size_span(), variable.size_span())) {
      return base::concat(what, " must be of sizes ", tensor::print_dims(variable.size_span()),
                          ", got ", tensor::print_dims(gradient.size_span()));
    }
    if (dtypes && gradient.dtype() != variable.dtype()) {
      return base::concat(what, " must be of dtype ", tensor::dtype_name(variable.dtype()),
                          ", got ", tensor::dtype_name(gradient.dtype()));
    }
  }
  return "";
}

// Reports the first element that is not 0.
std::string check_zero(const CheckedFunction& function, const std::vector<TensorPtr>& gradients,
                       const char* given, const char* advice) {
  for (size_t i = 0; i < gradients.size(); ++i) {
    if (gradients[i] == nullptr) continue;
    const Elements elements = read_elements(*gradients[i]);
    for (size_t k = 0; k < elements.size(); ++k) {
      if (elements[k] == 0.0) continue;
      return base::concat(print_input(function, i),
                          " must be zero if the gradients of all outputs ", given, ", got ",
                          print_entry(elements[k]), " for element ",
                          print_place(gradients[i]->size_span(), k), "; ", advice);
    }
  }
  return "";
}

std::vector<Seed> zero_seeds(const ReverseMode& reverse) {
  std::vector<Seed> seeds;
  for (size_t output = 0; output < reverse.outputs().size(); ++output) {
    const Tensor& tensor = *reverse.outputs()[output];
    seeds.push_back({output, make_tensor(Elements(static_cast<size_t>(tensor.numel())), tensor)});
  }
  return seeds;
}

std::string check_zero_gradients(const CheckedFunction& function, const ReverseMode& reverse,
                                 bool dtypes) {
  const std::vector<TensorPtr> gradients = reverse.gradients(zero_seeds(reverse));
  std::string report = check_likeness(function, gradients, dtypes);
  if (!report.empty()) return report;
  return check_zero(function, gradients, "are zero",
                    "backward must multiply by the gradient that it receives");
}

std::string check_undefined(const CheckedFunction& function, const ReverseMode& reverse,
                            const std::vector<Seed>& seeds) {
  try {
    return check_zero(function, reverse.gradients(seeds), "are undefined or zero",
                      "an undefined gradient counts as zero");
  } catch (const Error& error) {
    return base::concat(
        "backward must accept undefined gradients of outputs, which count as zero, but it failed: ",
        error.what());
  }
}

// Checks passes whose output gradients are all undefined, then passes where a single one is
// undefined and the remaining ones are zeros.
std::string check_undefined_gradients(const CheckedFunction& function, const ReverseMode& reverse) {
  const std::vector<Seed> zeros = zero_seeds(reverse);
  std::vector<Seed> seeds = zeros;
  for (Seed& seed : seeds) seed.grad = nullptr;
  std::string report = check_undefined(function, reverse, seeds);
  for (size_t output = 0; zeros.size() > 1 && output < zeros.size() && report.empty(); ++output) {
    seeds = zeros;
    seeds[output].grad = nullptr;
    report = check_undefined(function, reverse, seeds);
  }
  return report;
}

// Checks that gradients are linear in the output gradient. Otherwise a pass over a batch of output
// gradients could differ from separate passes.
std::string check_batches(const CheckedFunction& function, const ReverseMode& reverse,
                          const Tolerance& tolerance) {
  CheckRandom random;
  for (size_t output = 0; output < reverse.outputs().size(); ++output) {
    const size_t rows = number_count(*reverse.outputs()[output]);
    const Numbers first = random.numbers(rows);
    const Numbers second = random.numbers(rows);
    Numbers sum = first;
    for (size_t row = 0; row < rows; ++row) sum[row] += second[row];
    const std::vector<Elements> one = reverse.gradients(output, first);
    const std::vector<Elements> other = reverse.gradients(output, second);
    const std::vector<Elements> both = reverse.gradients(output, sum);
    for (size_t i = 0; i < both.size(); ++i) {
      for (size_t k = 0; k < both[i].size(); ++k) {
        const std::complex<double> expected = one[i][k] + other[i][k];
        if (tolerance.allows(expected, both[i][k])) continue;
        return base::concat("gradients of ", print_pair(function, {output, i}),
                            " must be linear in the gradient of the output, which batched "
                            "gradients require: at element ",
                            print_place(function.variable(i).size_span(), k), ", got ",
                            print_entry(both[i][k]), " for the sum of two gradients and ",
                            print_entry(one[i][k]), " and ", print_entry(other[i][k]));
      }
    }
  }
  return "";
}

}  // namespace

std::string check_backward_rules(const CheckedFunction& function, const ReverseMode& reverse,
                                 const CheckOptions& options) {
  std::string report;
  if (options.batched) report = check_batches(function, reverse, options.tolerance);
  if (report.empty()) report = check_zero_gradients(function, reverse, options.dtypes);
  if (report.empty() && options.undefined) report = check_undefined_gradients(function, reverse);
  return report;
}

}  // namespace tenon::gradcheck
