// SPDX-License-Identifier: Apache-2.0
// The rules that backward passes keep whatever the function: gradients of zero and undefined ones
// give zero, and gradients add up.
#pragma once

#include <string>

#include "gradcheck/options.h"
#include "gradcheck/reverse.h"

namespace tenon::gradcheck {

/// A report of the first rule that is broken; empty where none is.
std::string check_backward_rules(const CheckedFunction& function, const ReverseMode& reverse,
                                 const CheckOptions& options);

}  // namespace tenon::gradcheck
