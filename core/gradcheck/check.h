// SPDX-License-Identifier: Apache-2.0
// Gradient checks: compare backward passes and forward mode with finite differences, and check that
// zero and undefined gradients are handled correctly.
#pragma once

#include <span>
#include <string>

#include "gradcheck/function.h"
#include "gradcheck/options.h"

namespace tenon::gradcheck {

/// Returns a report of the first mismatch in the gradients of a function, or "" if all are right.
/// Throws the errors of the function and of its formulas.
std::string check_gradients(const CheckedFunction& function, const CheckOptions& options);

/// Like check_gradients(), but for second derivatives: checks the gradients of the function's
/// gradients with respect to its inputs and to `grad_outputs`, which are drawn at random if empty.
/// Throws TENON_ERROR_INVALID_ARGUMENT if `grad_outputs` has the wrong length.
std::string check_second_gradients(const CheckedFunction& function,
                                   std::span<tensor::Tensor* const> grad_outputs,
                                   const CheckOptions& options);

}  // namespace tenon::gradcheck
