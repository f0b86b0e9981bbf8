// SPDX-License-Identifier: Apache-2.0
// Guesses which mistake made a gradient differ from the derivative.
#pragma once

#include <string>

#include "autograd/check_jacobian.h"
#include "autograd/check_options.h"

namespace tenon::autograd {

/// Returns a sentence, or "" if no known mistake explains all entries.
std::string guess_mistake(const tensor::Tensor& output, const tensor::Tensor& variable,
                          const Jacobian& numerical, const Jacobian& analytical,
                          const Tolerance& tolerance);

}  // namespace tenon::autograd
