// SPDX-License-Identifier: Apache-2.0
// Gradient policy: what becomes of gradients that come to an operator without formula.
#pragma once

#include <cstdint>
#include <string_view>

#include "dispatch/library.h"

namespace tenon::autograd {

/// See tenon_library_set_gradient_policy.
dispatch::RegistrationPtr set_gradient_policy(dispatch::Library* library, std::string_view name,
                                              uint32_t policy);

/// Selects operators that gradients could flow through, from tensors to tensors: others have
/// nothing to record.
int32_t concerns_tensors(void* ctx, const tenon_schema* schema);

/// A kernel on Autograd for operators without formula: results of tracked arguments are linked to a
/// node that does in backward as the policy in `ctx` says. As the built-in fallback it fails there,
/// naming the operator.
tenon_status record_unknown(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack);

}  // namespace tenon::autograd
