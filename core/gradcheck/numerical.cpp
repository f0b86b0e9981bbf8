// SPDX-License-Identifier: Apache-2.0
#include "gradcheck/numerical.h"

#include "base/check.h"

namespace tenon::gradcheck {

NumericalMode::NumericalMode(const CheckedFunction& function, size_t variable, double step,
                             Outputs which)
    : function_(function),
      variable_(variable),
      tensor_(function.variable(variable)),
      step_(step),
      which_(which),
      writer_(base::concat(function.name(), ": input ", function.position(variable)), tensor_),
      origin_(read_elements(tensor_)) {}

void NumericalMode::move(const Elements& direction, double step) {
  for (size_t i = 0; i < direction.size(); ++i) {
    if (direction[i] == 0.0) continue;
    // At step 0 restore the element itself: adding 0 could flip the sign of a zero.
    writer_.write(i, step == 0 ? origin_[i] : origin_[i] + step * direction[i]);
  }
}

std::vector<Numbers> NumericalMode::numbers_at(const Elements& direction, double step) {
  std::vector<Numbers> numbers;
  try {
    move(direction, step);
    const auto outputs = which_ == Outputs::kAll ? function_.run() : function_.run_tracked();
    for (const auto& output : outputs) numbers.push_back(read_numbers(*output));
  } catch (...) {
    move(direction, 0);
    throw;
  }
  move(direction, 0);
  return numbers;
}

std::vector<Numbers> NumericalMode::slopes(const Elements& direction) {
  std::vector<Numbers> slopes = numbers_at(direction, step_);
  const std::vector<Numbers> below = numbers_at(direction, -step_);
  const auto refuse_unless = [&](bool same) {
    TENON_CHECK_ARG(same, function_.name(),
                    ": function must return the same number of outputs of the same sizes each "
                    "time, got others when an input changed by ",
                    step_);
  };
  refuse_unless(slopes.size() == below.size());
  for (size_t i = 0; i < slopes.size(); ++i) {
    refuse_unless(slopes[i].size() == below[i].size());
    for (size_t row = 0; row < slopes[i].size(); ++row) {
      slopes[i][row] = (slopes[i][row] - below[i][row]) / (2 * step_);
    }
  }
  return slopes;
}

std::vector<Jacobian> NumericalMode::jacobians() {
  return collect_jacobians(function_, variable_,
                           [&](const Elements& direction) { return slopes(direction); });
}

}  // namespace tenon::gradcheck
