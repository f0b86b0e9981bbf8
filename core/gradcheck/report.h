// SPDX-License-Identifier: Apache-2.0
// Human-readable reports of gradient mismatches.
#pragma once

#include <optional>
#include <string>

#include "gradcheck/function.h"
#include "gradcheck/jacobian.h"
#include "gradcheck/options.h"

namespace tenon::gradcheck {

/// An output, and the variable that it is differentiated by.
struct Pair {
  size_t output;
  size_t variable;
};

/// Returns for example "output 0 with respect to input 1".
std::string print_pair(const CheckedFunction& function, const Pair& pair);

/// Compares an analytical Jacobian with the numerical one; returns "" if both agree. `what` names
/// how the analytical one was computed, such as "backward".
std::string report_mismatch(const CheckedFunction& function, const Pair& pair,
                            const tensor::Tensor& output, const Jacobian& numerical,
                            const Jacobian& analytical, const char* what,
                            const Tolerance& tolerance);

/// Returns for example "2" or "1.5-2i", with at most six significant digits.
std::string print_entry(std::complex<double> entry);

}  // namespace tenon::gradcheck
