// SPDX-License-Identifier: Apache-2.0
// Recording: the kernel that serves Autograd for an operator with a formula.
#pragma once

#include "autograd/formula/formula.h"
#include "dispatch/library.h"

namespace tenon::autograd {

/// Where and by whom a formula is registered.
struct FormulaOptions {
  uint32_t language = 0;
  uint32_t policy = 0;
  const char* name = nullptr;
  const char* file = nullptr;
  int32_t line = 0;
};

/// See tenon_library_register_autograd. Takes over the formula, also when it throws.
dispatch::RegistrationPtr register_formula(dispatch::Library* library, std::string_view name,
                                           std::unique_ptr<Formula> formula,
                                           const FormulaOptions& options);

/// Calls on below Autograd, and records the call if gradients flow to it. Throws.
tenon_status record_with(const Plan& plan, const tenon_op* op, tenon_keyset keys,
                         tenon_stack* stack);

}  // namespace tenon::autograd
