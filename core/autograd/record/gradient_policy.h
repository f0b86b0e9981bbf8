// SPDX-License-Identifier: Apache-2.0
// Gradient policy: how backward treats operators without a gradient formula.
#pragma once

#include <cstdint>
#include <string_view>

#include "dispatch/library.h"

namespace tenon::autograd {

/// See tenon_library_set_gradient_policy.
dispatch::RegistrationPtr set_gradient_policy(dispatch::Library* library, std::string_view name,
                                              uint32_t policy);

/// Selects operators that take and return (or write) tensors. No gradient can flow through the
/// other operators, so there is nothing to record.
int32_t concerns_tensors(void* ctx, const tenon_schema* schema);

/// The kernel on Autograd of operators without a formula. Links results of tracked arguments to a
/// node whose backward follows the policy in `ctx`. The built-in fallback uses the policy that
/// throws and names the operator.
tenon_status record_unknown(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack);

}  // namespace tenon::autograd
