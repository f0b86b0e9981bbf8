// SPDX-License-Identifier: Apache-2.0
// Options of gradient checks, and their tolerances.
#pragma once

#include <cmath>
#include <complex>

namespace tenon::gradcheck {

struct Tolerance {
  double absolute = 1e-5;
  double relative = 1e-3;

  /// Returns true if `actual` is close enough to `expected`. NaN is never allowed, not even if it
  /// is expected.
  bool allows(std::complex<double> expected, std::complex<double> actual) const noexcept {
    return expected == actual ||
           std::abs(actual - expected) <= absolute + relative * std::abs(expected);
  }
};

struct CheckOptions {
  double step = 1e-6;  // distance of both evaluation points of a central difference from the input
  Tolerance tolerance = {};
  double nondeterminism = 0;  // largest allowed difference between two backward passes
  bool backward = true;
  bool forward = false;
  bool undefined = true;
  bool batched = false;
  bool batched_forward = false;
  bool dtypes = false;
  bool fast = false;
  bool strided_grads = false;  // second order: random output gradients have gaps between elements
};

}  // namespace tenon::gradcheck
