// SPDX-License-Identifier: Apache-2.0
// Reports of what is wrong with gradients, as text for people.
#pragma once

#include <optional>
#include <string>

#include "gradcheck/function.h"
#include "gradcheck/jacobian.h"
#include "gradcheck/options.h"

namespace tenon::gradcheck {

/// Whose derivative by what.
struct Pair {
  size_t output;
  size_t variable;
};

/// Which output and which input: "output 0 with respect to input 1".
std::string print_pair(const CheckedFunction& function, const Pair& pair);

/// Compares the Jacobian of one pair with what differences give; empty where both agree. `what` is
/// what came to be compared, such as "backward".
std::string report_mismatch(const CheckedFunction& function, const Pair& pair,
                            const tensor::Tensor& output, const Jacobian& numerical,
                            const Jacobian& analytical, const char* what,
                            const Tolerance& tolerance);

/// "2", "1.5-2i": as few digits as tell entries apart.
std::string print_entry(std::complex<double> entry);

}  // namespace tenon::gradcheck
