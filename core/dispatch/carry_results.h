// SPDX-License-Identifier: Apache-2.0
// Results of overrides: any values, with carriers where the schema says Tensor.
#pragma once

#include "base/error.h"
#include "dispatch/operator_entry.h"

namespace tenon::dispatch {

/// Returns true if a kernel serves Override or a key above it, so that its results may be any
/// values.
bool may_return_anything(const Kernel& kernel) noexcept;

/// Makes results that any caller can read: a value that is not a tensor, at a Tensor or Tensor[]
/// position, moves into a carrier; None in place of a written argument becomes that argument.
/// Returns an error for results that are not owned or are NULL tensors; throws
/// TENON_ERROR_OUT_OF_MEMORY.
base::ErrorPtr carry_results(const tenon_op& op, const schema::Schema& schema, tenon_stack* stack);

}  // namespace tenon::dispatch
