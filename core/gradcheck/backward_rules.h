// SPDX-License-Identifier: Apache-2.0
// Rules that every backward pass obeys: zero or undefined output gradients yield zero gradients,
// and gradients add up.
#pragma once

#include <string>

#include "gradcheck/options.h"
#include "gradcheck/reverse.h"

namespace tenon::gradcheck {

/// Returns a report of the first broken rule, or "" if all hold.
std::string check_backward_rules(const CheckedFunction& function, const ReverseMode& reverse,
                                 const CheckOptions& options);

}  // namespace tenon::gradcheck
