// SPDX-License-Identifier: Apache-2.0
// Checks of gradients: what backward passes give beside what differences give, and whether they
// keep the rules for gradients that are zero or undefined.
#pragma once

#include <span>
#include <string>

#include "gradcheck/function.h"
#include "gradcheck/options.h"

namespace tenon::gradcheck {

/// A report of the first thing that is wrong with the gradients of a function; empty where nothing
/// is. Throws what the function or a formula raised.
std::string check_gradients(const CheckedFunction& function, const CheckOptions& options);

/// The same for the gradients of its gradients: those by the inputs and by the gradients of the
/// outputs, made at random where none are given. Throws TENON_ERROR_INVALID_ARGUMENT for a wrong
/// number of these.
std::string check_second_gradients(const CheckedFunction& function,
                                   std::span<tensor::Tensor* const> grad_outputs,
                                   const CheckOptions& options);

}  // namespace tenon::gradcheck
