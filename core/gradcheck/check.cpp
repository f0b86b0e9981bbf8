// SPDX-License-Identifier: Apache-2.0
#include "gradcheck/check.h"

#include "base/check.h"
#include "gradcheck/backward_rules.h"
#include "gradcheck/forward.h"
#include "gradcheck/numerical.h"
#include "gradcheck/random.h"
#include "gradcheck/report.h"
#include "gradcheck/reverse.h"

namespace tenon::gradcheck {

namespace {

// The Jacobians of every output with respect to one variable.
using Jacobians = std::vector<Jacobian>;

class Check {
 public:
  Check(const CheckedFunction& function, const CheckOptions& options)
      : function_(function), options_(options) {}

  std::string run() {
    if (function_.run_tracked().empty()) return check_constant();
    if (options_.backward) {
      const ReverseMode reverse(function_);
      std::string report = options_.fast ? compare_fast(reverse) : compare(reverse);
      if (report.empty()) report = check_backward_rules(function_, reverse, options_);
      if (!report.empty()) return report;
    }
    for (size_t i = 0; options_.forward && i < function_.variable_count(); ++i) {
      std::string report = compare_forward(i);
      if (!report.empty()) return report;
    }
    return "";
  }

 private:
  // Checks that all derivatives are zero, for a function whose outputs do not require grad.
  std::string check_constant() {
    for (size_t i = 0; i < function_.variable_count(); ++i) {
      const Jacobians found = NumericalMode(function_, i, options_.step, Outputs::kAll).jacobians();
      for (size_t output = 0; output < found.size(); ++output) {
        for (const std::complex<double>& entry : found[output].entries) {
          if (entry == 0.0) continue;
          return base::concat("Jacobian mismatch for ", print_pair(function_, {output, i}),
                              ": no output requires grad, so the derivatives must be zero, got ",
                              print_entry(entry), " by differences");
        }
      }
    }
    return "";
  }

  const Jacobians& numerical(size_t variable) {
    if (numerical_.empty()) numerical_.resize(function_.variable_count());
    Jacobians& found = numerical_[variable];
    if (found.empty()) {
      found = NumericalMode(function_, variable, options_.step, Outputs::kTracked).jacobians();
    }
    return found;
  }

  void require_outputs(size_t count, size_t expected) const {
    TENON_CHECK_ARG(count == expected, function_.name(),
                    ": function must return the same number of outputs each time, got ", count,
                    " after ", expected);
  }

  std::string compare(const ReverseMode& reverse) {
    for (size_t output = 0; output < reverse.outputs().size(); ++output) {
      std::string report;
      const Jacobians found = jacobians(reverse, output, &report);
      for (size_t i = 0; i < found.size() && report.empty(); ++i) {
        if (found[i].columns == 0) continue;
        require_outputs(numerical(i).size(), reverse.outputs().size());
        report = report_mismatch(function_, {output, i}, *reverse.outputs()[output],
                                 numerical(i)[output], found[i], "backward", options_.tolerance);
      }
      if (!report.empty()) return report;
    }
    return "";
  }

  // Returns the Jacobian of one output with respect to each variable. Runs each backward pass twice
  // to check that it is deterministic.
  Jacobians jacobians(const ReverseMode& reverse, size_t output, std::string* out_report) const {
    const size_t rows = number_count(*reverse.outputs()[output]);
    Jacobians found;
    for (size_t i = 0; i < function_.variable_count(); ++i) {
      found.emplace_back(rows, static_cast<size_t>(function_.variable(i).numel()));
    }
    Numbers seed(rows);
    for (size_t row = 0; row < rows; ++row) {
      seed[row] = 1;
      const std::vector<Elements> gradients = repeated(reverse, output, seed, out_report);
      seed[row] = 0;
      if (!out_report->empty()) break;
      for (size_t i = 0; i < found.size(); ++i) {
        std::ranges::copy(gradients[i], found[i].entries.begin() +
                                            static_cast<std::ptrdiff_t>(row * found[i].columns));
      }
    }
    return found;
  }

  std::vector<Elements> repeated(const ReverseMode& reverse, size_t output, const Numbers& seed,
                                 std::string* out_report) const {
    std::vector<Elements> first = reverse.gradients(output, seed);
    const std::vector<Elements> second = reverse.gradients(output, seed);
    for (size_t i = 0; i < first.size(); ++i) {
      for (size_t k = 0; k < first[i].size(); ++k) {
        const double by = std::abs(first[i][k] - second[i][k]);
        if (!(by > options_.nondeterminism)) continue;
        *out_report = base::concat(
            "backward is not reentrant, i.e. not deterministic: two passes over one graph with the "
            "same gradient differ for ",
            print_pair(function_, {output, i}), ", ", print_entry(first[i][k]), " and ",
            print_entry(second[i][k]), " for element ",
            print_place(function_.variable(i).size_span(), k), ", a difference of ", by,
            ", more than the tolerance ", options_.nondeterminism);
      }
    }
    return first;
  }

  // Compares v J u for random v and u instead of the whole Jacobian J. On a mismatch compares the
  // full Jacobians, so that the report can name the wrong entries.
  std::string compare_fast(const ReverseMode& reverse) {
    CheckRandom random;
    std::vector<Numbers> seeds;
    for (const tensor::TensorPtr& output : reverse.outputs()) {
      seeds.push_back(random.weights(number_count(*output)));
    }
    std::vector<std::vector<Elements>> gradients;
    for (size_t output = 0; output < seeds.size(); ++output) {
      std::string report;
      gradients.push_back(repeated(reverse, output, seeds[output], &report));
      if (!report.empty()) return report;
    }
    for (size_t i = 0; i < function_.variable_count(); ++i) {
      const Numbers weights = random.weights(static_cast<size_t>(function_.variable(i).numel()));
      if (weights.empty()) continue;
      const std::vector<Elements> slopes = weighted_slopes(i, weights, seeds.size());
      for (size_t output = 0; output < seeds.size(); ++output) {
        if (seeds[output].empty()) continue;
        std::string report = compare_products({output, i}, weights, seeds[output], slopes[output],
                                              gradients[output][i]);
        if (report.empty()) continue;
        const std::string whole = compare(reverse);
        return whole.empty() ? report : whole;
      }
    }
    return "";
  }

  // Returns the directional derivatives of each output's numbers as complex numbers: along the
  // weights in the real part and, for a complex variable, along i times the weights in the
  // imaginary part.
  std::vector<Elements> weighted_slopes(size_t variable, const Numbers& weights,
                                        size_t outputs) const {
    NumericalMode mode(function_, variable, options_.step, Outputs::kTracked);
    std::vector<Elements> slopes;
    for (const std::complex<double> axis : {std::complex<double>(1, 0), {0, 1}}) {
      if (axis.imag() != 0 && !tensor::is_complex(function_.variable(variable).dtype())) continue;
      Elements direction;
      for (const double weight : weights) direction.push_back(weight * axis);
      const std::vector<Numbers> found = mode.slopes(direction);
      if (slopes.empty()) {
        for (const Numbers& output : found) slopes.emplace_back(output.size());
      }
      require_outputs(found.size(), outputs);
      for (size_t output = 0; output < found.size(); ++output) {
        for (size_t row = 0; row < slopes[output].size(); ++row) {
          slopes[output][row] += axis * found[output].at(row);
        }
      }
    }
    return slopes;
  }

  std::string compare_forward(size_t variable) {
    const ForwardMode forward(function_, variable);
    CheckRandom random;
    std::string report = options_.fast ? compare_along(forward, variable, random) : "";
    if (!options_.fast || !report.empty()) {
      const std::string whole = compare_whole(forward, variable);
      if (!whole.empty()) report = whole;
    }
    if (report.empty() && options_.batched_forward) {
      report = check_sums(forward, variable, random);
    }
    return report;
  }

  std::string compare_whole(const ForwardMode& forward, size_t variable) {
    const CheckedFunction::Tensors outputs = function_.run_tracked();
    const Jacobians found = forward.jacobians();
    const Jacobians& expected = numerical(variable);
    require_outputs(found.size(), expected.size());
    std::string report;
    for (size_t output = 0; output < found.size() && report.empty(); ++output) {
      report = report_mismatch(function_, {output, variable}, *outputs.at(output), expected[output],
                               found[output], "forward", options_.tolerance);
    }
    return report;
  }

  // Compares the derivatives along one random vector.
  std::string compare_along(const ForwardMode& forward, size_t variable,
                            CheckRandom& random) const {
    const tensor::Tensor& tensor = function_.variable(variable);
    const Numbers weights = random.weights(static_cast<size_t>(tensor.numel()));
    Tolerance tolerance = options_.tolerance;
    double sum = 0;
    for (const double weight : weights) sum += weight;
    tolerance.absolute *= sum;
    NumericalMode mode(function_, variable, options_.step, Outputs::kTracked);
    for (const std::complex<double> axis : {std::complex<double>(1, 0), {0, 1}}) {
      if (axis.imag() != 0 && !tensor::is_complex(tensor.dtype())) continue;
      Elements direction;
      for (const double weight : weights) direction.push_back(weight * axis);
      std::string report =
          compare_slopes(variable, mode.slopes(direction), forward.slopes(direction), tolerance,
                         "by differences along a random vector and in forward "
                         "mode");
      if (!report.empty()) return report;
    }
    return "";
  }

  // Checks that an output's tangent is linear in the variable's. Otherwise a batch of tangents
  // could differ from separate calls.
  std::string check_sums(const ForwardMode& forward, size_t variable, CheckRandom& random) const {
    const tensor::Tensor& tensor = function_.variable(variable);
    const Elements first = random.elements(tensor);
    const Elements second = random.elements(tensor);
    Elements sum = first;
    for (size_t k = 0; k < sum.size(); ++k) sum[k] += second[k];
    std::vector<Numbers> expected = forward.slopes(first);
    const std::vector<Numbers> other = forward.slopes(second);
    require_outputs(other.size(), expected.size());
    for (size_t output = 0; output < other.size(); ++output) {
      for (size_t row = 0; row < other[output].size(); ++row) {
        expected[output].at(row) += other[output][row];
      }
    }
    return compare_slopes(variable, expected, forward.slopes(sum), options_.tolerance,
                          "as the sum of results for two tangents and as the result for their sum, "
                          "which must be equal for batched tangents");
  }

  std::string compare_slopes(size_t variable, const std::vector<Numbers>& expected,
                             const std::vector<Numbers>& found, const Tolerance& tolerance,
                             const char* how) const {
    require_outputs(found.size(), expected.size());
    for (size_t output = 0; output < found.size(); ++output) {
      for (size_t row = 0; row < found[output].size(); ++row) {
        if (tolerance.allows(expected[output].at(row), found[output][row])) continue;
        return base::concat("Jacobian mismatch for ", print_pair(function_, {output, variable}),
                            ": tangent number ", row, " is ", print_entry(expected[output][row]),
                            " and ", print_entry(found[output][row]), ", ", how);
      }
    }
    return "";
  }

  std::string compare_products(const Pair& pair, const Numbers& weights, const Numbers& seed,
                               const Elements& slopes, const Elements& gradient) const {
    std::complex<double> expected;
    std::complex<double> actual;
    double sum_of_weights = 0;
    double sum_of_seed = 0;
    for (size_t row = 0; row < seed.size(); ++row) {
      expected += seed[row] * slopes.at(row);
      sum_of_seed += seed[row];
    }
    for (size_t k = 0; k < weights.size(); ++k) {
      actual += weights[k] * gradient[k];
      sum_of_weights += weights[k];
    }
    // The tolerance of the product if each entry of the Jacobian were off by the absolute
    // tolerance.
    Tolerance tolerance = options_.tolerance;
    tolerance.absolute *= sum_of_weights * sum_of_seed;
    if (tolerance.allows(expected, actual)) return "";
    return base::concat("Jacobian mismatch for ", print_pair(function_, pair),
                        ": its product with random vectors is ", print_entry(expected),
                        " by differences, ", print_entry(actual),
                        " in backward mode, though no single entry differs by more than the "
                        "tolerance");
  }

  const CheckedFunction& function_;
  const CheckOptions& options_;
  std::vector<Jacobians> numerical_;  // by variable; computed on first use
};

}  // namespace

std::string check_gradients(const CheckedFunction& function, const CheckOptions& options) {
  return Check(function, options).run();
}

}  // namespace tenon::gradcheck
