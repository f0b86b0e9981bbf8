// SPDX-License-Identifier: Apache-2.0
// Gradients of samples, and the gradients of these, beside central differences.
#pragma once

#include <string>

#include "kernels/gradients/gradient_samples.h"

namespace tenon::tests {

// How a sample is run.
struct SampleVariant {
  std::string op;           // the sample's, or its form in place
  bool transposed = false;  // inputs lie in memory in another order of dims
  bool is_complex = false;
};

// Inputs of a sample, the same each time, and its floating and complex results. An operator in
// place gets a clone of the first.
std::vector<Tensor> inputs_of(const Sample& sample, const SampleVariant& variant);
std::vector<Tensor> results_of(const Sample& sample, const SampleVariant& variant,
                               const std::vector<Tensor>& inputs);

// Reports deviations as failures that name the sample.
void check_gradients(const Sample& sample, const SampleVariant& variant);

// Whether the operator may run in place on the sample's first input: whether it has results of its
// sizes.
bool keeps_sizes(const Sample& sample);

}  // namespace tenon::tests
