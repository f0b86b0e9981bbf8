// SPDX-License-Identifier: Apache-2.0
// Compares tangents of samples, and tangents of their gradients, with central differences.
#pragma once

#include "kernels/gradients/gradient_check.h"

namespace tenon::tests {

// Reports each difference as a failure that names the sample.
void check_tangents(const Sample& sample, const SampleVariant& variant);

}  // namespace tenon::tests
