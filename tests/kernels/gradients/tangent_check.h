// SPDX-License-Identifier: Apache-2.0
// Tangents of samples, and the tangents of their gradients, beside central differences.
#pragma once

#include "kernels/gradients/gradient_check.h"

namespace tenon::tests {

// Reports deviations as failures that name the sample.
void check_tangents(const Sample& sample, const SampleVariant& variant);

}  // namespace tenon::tests
