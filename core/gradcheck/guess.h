// SPDX-License-Identifier: Apache-2.0
// Guesses what mistake made a gradient differ from the derivative.
#pragma once

#include <string>

#include "gradcheck/jacobian.h"
#include "gradcheck/options.h"

namespace tenon::gradcheck {

/// A sentence, or nothing where no known mistake explains all entries.
std::string guess_mistake(const tensor::Tensor& output, const tensor::Tensor& variable,
                          const Jacobian& numerical, const Jacobian& analytical,
                          const Tolerance& tolerance);

}  // namespace tenon::gradcheck
