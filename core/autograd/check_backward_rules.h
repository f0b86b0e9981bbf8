// SPDX-License-Identifier: Apache-2.0
// The rules that backward passes keep whatever the function: gradients of zero and undefined ones
// give zero, and gradients add up.
#pragma once

#include <string>

#include "autograd/check_options.h"
#include "autograd/check_reverse.h"

namespace tenon::autograd {

/// A report of the first rule that is broken; empty where none is.
std::string check_backward_rules(const CheckedFunction& function, const ReverseMode& reverse,
                                 const CheckOptions& options);

}  // namespace tenon::autograd
