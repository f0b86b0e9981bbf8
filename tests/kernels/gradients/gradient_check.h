// SPDX-License-Identifier: Apache-2.0
// Compares gradients of samples, and second-order gradients, with central differences.
#pragma once

#include <string>

#include "kernels/gradients/gradient_samples.h"

namespace tenon::tests {

// How a sample is run.
struct SampleVariant {
  std::string op;           // the sample's operator, or its in-place form
  bool transposed = false;  // inputs have another order of dims in memory
  bool is_complex = false;
};

// Return a sample's inputs, the same each time, and its floating-point and complex results. An
// in-place operator gets a clone of the first input.
std::vector<Tensor> inputs_of(const Sample& sample, const SampleVariant& variant);
std::vector<Tensor> results_of(const Sample& sample, const SampleVariant& variant,
                               const std::vector<Tensor>& inputs);

// Reports each difference as a failure that names the sample.
void check_gradients(const Sample& sample, const SampleVariant& variant);

// Returns true if the operator can run in place on the sample's first input, because the result has
// the same sizes.
bool keeps_sizes(const Sample& sample);

}  // namespace tenon::tests
