// SPDX-License-Identifier: Apache-2.0
// Calls at which the gradient formulas of the operators are checked.
#pragma once

#include <string>
#include <vector>

#include "kernels/golden.h"

namespace tenon::tests {

// A tensor that a gradient is wanted for: elements anywhere between two bounds.
struct Input {
  Ints sizes;
  double low;
  double high;
};

// One argument: an input, a list of them, or what has no gradient.
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
  uint64_t seed = 0;        // of the generator that each call gets; 0: it takes none
  bool is_complex = false;  // checked with complex numbers
  bool is_real = true;      // and with real ones
};

// All of them. Every operator with a gradient text has one; an operator in place may have that of
// its functional form.
std::vector<Sample> gradient_samples();

}  // namespace tenon::tests
