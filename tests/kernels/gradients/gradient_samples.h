// SPDX-License-Identifier: Apache-2.0
// The calls that check the gradient formulas of the operators.
#pragma once

#include <string>
#include <vector>

#include "kernels/golden.h"

namespace tenon::tests {

// A tensor that requires grad, with elements between two bounds.
struct Input {
  Ints sizes;
  double low;
  double high;
};

// An argument: an input, a list of inputs, or a value without a gradient.
struct Argument {
  Argument(Input input) : inputs{std::move(input)} {}
  Argument(std::vector<Input> list) : inputs(std::move(list)), is_list(true) {}
  template <class T>
  requires std::is_convertible_v<T, Value> Argument(T value) : value(std::move(value)) {}

  std::vector<Input> inputs;
  bool is_list = false;
  Value value;
};

struct Sample {
  std::string op;
  std::vector<Argument> arguments;
  std::vector<Keyword> keywords = {};
  uint64_t seed = 0;        // seed of the generator that each call gets; 0 for no generator
  bool is_complex = false;  // checked with complex numbers
  bool is_real = true;      // and with real ones
};

// Returns all samples. Every operator with a gradient formula has one; an in-place operator may use
// those of its functional form.
std::vector<Sample> gradient_samples();

}  // namespace tenon::tests
