// SPDX-License-Identifier: Apache-2.0
#include "gradcheck/forward.h"

#include "autograd/forward/dual_level.h"
#include "autograd/forward/tangent.h"

namespace tenon::gradcheck {

namespace {

using tensor::TensorPtr;

class DualLevelScope {
 public:
  DualLevelScope() : number_(autograd::DualLevel::enter()) {}
  ~DualLevelScope() { autograd::DualLevel::leave(number_); }
  DualLevelScope(const DualLevelScope&) = delete;
  DualLevelScope& operator=(const DualLevelScope&) = delete;

 private:
  const int64_t number_;
};

}  // namespace

std::vector<Numbers> ForwardMode::slopes(const Elements& direction) const {
  tensor::Tensor& variable = function_.variable(variable_);
  const TensorPtr tangent = make_tensor(direction, variable);
  const DualLevelScope level;
  const TensorPtr dual = autograd::make_dual(variable, *tangent);
  std::vector<tenon_value> inputs(function_.inputs().begin(), function_.inputs().end());
  inputs[function_.position(variable_)] = tenon_value_of_tensor(dual.get());
  std::vector<Numbers> slopes;
  for (const TensorPtr& output : function_.run_tracked(inputs)) {
    const TensorPtr found = autograd::tangent_of(*output);
    slopes.push_back(found != nullptr ? read_numbers(*found) : Numbers(number_count(*output)));
  }
  return slopes;
}

std::vector<Jacobian> ForwardMode::jacobians() const {
  return collect_jacobians(function_, variable_,
                           [&](const Elements& direction) { return slopes(direction); });
}

}  // namespace tenon::gradcheck
