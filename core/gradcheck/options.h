// SPDX-License-Identifier: Apache-2.0
// What is checked of gradients, and how close is close enough.
#pragma once

#include <cmath>
#include <complex>

namespace tenon::gradcheck {

struct Tolerance {
  double absolute = 1e-5;
  double relative = 1e-3;

  /// Whether a number is as expected. NaN never is, also where it is expected.
  bool allows(std::complex<double> expected, std::complex<double> actual) const noexcept {
    return expected == actual ||
           std::abs(actual - expected) <= absolute + relative * std::abs(expected);
  }
};

struct CheckOptions {
  double step = 1e-6;  // by which inputs move to both sides
  Tolerance tolerance = {};
  double nondeterminism = 0;  // by how much two backward passes may differ
  bool backward = true;
  bool forward = false;
  bool undefined = true;
  bool batched = false;
  bool batched_forward = false;
  bool dtypes = false;
  bool fast = false;
  bool strided_grads = false;  // of second order: gradients of outputs made here have gaps
};

}  // namespace tenon::gradcheck
