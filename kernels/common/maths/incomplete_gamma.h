// SPDX-License-Identifier: Apache-2.0
// The regularised incomplete gamma functions, on the host alone.
#pragma once

namespace tenon::kernels::maths {

// The lower one, https://dlmf.nist.gov/8.2.E4: P(a, x), from 0 at x = 0 to 1; NaN below 0.
double igamma(double a, double x);
// The upper one, 1 - P(a, x), with all digits where that is small.
double igammac(double a, double x);

}  // namespace tenon::kernels::maths
