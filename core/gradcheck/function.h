// SPDX-License-Identifier: Apache-2.0
// CheckedFunction: a function whose gradients are checked, and the inputs that it is called with.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tenon/value.h"
#include "tensor/tensor.h"

namespace tenon::gradcheck {

class CheckedFunction {
 public:
  using Tensors = std::vector<tensor::TensorPtr>;
  /// Gives the tensors among the function's results, in order.
  using Body = std::function<Tensors(std::span<const tenon_value> inputs)>;

  /// Borrows the inputs. Its variables are those that gradients flow to. Throws
  /// TENON_ERROR_INVALID_ARGUMENT where there are none, and for variables that overlap themselves;
  /// warns of those that are too coarse for differences. `name` begins messages.
  CheckedFunction(std::string name, Body body, std::span<const tenon_value> inputs);

  const std::string& name() const noexcept { return name_; }
  std::span<const tenon_value> inputs() const noexcept { return inputs_; }
  size_t variable_count() const noexcept { return variables_.size(); }
  /// Which of the inputs a variable is.
  size_t position(size_t variable) const noexcept { return variables_[variable]; }
  tensor::Tensor& variable(size_t variable) const noexcept {
    return *inputs_[variables_[variable]].as.tensor;
  }

  /// The outputs that could have a gradient: floating and complex tensors.
  Tensors run() const { return run(inputs_); }
  /// Those of them that gradients flow through.
  Tensors run_tracked() const { return run_tracked(inputs_); }
  /// The same with other tensors in the place of the variables.
  Tensors run(std::span<const tenon_value> inputs) const;
  Tensors run_tracked(std::span<const tenon_value> inputs) const;

 private:
  std::string name_;
  Body body_;
  std::span<const tenon_value> inputs_;
  std::vector<size_t> variables_;
};

}  // namespace tenon::gradcheck
