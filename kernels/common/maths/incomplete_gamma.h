// SPDX-License-Identifier: Apache-2.0
// The regularized incomplete gamma functions, for the host only.
#pragma once

namespace tenon::kernels::maths {

// Returns the lower function P(a, x), https://dlmf.nist.gov/8.2.E4: from 0 at x = 0 to 1; NaN if a
// or x is negative.
double igamma(double a, double x);
// Returns the upper function 1 - P(a, x), to full precision where it is small.
double igammac(double a, double x);

}  // namespace tenon::kernels::maths
