// SPDX-License-Identifier: Apache-2.0
// The fallback for operators without a batching rule in a vmap: calls the operator once per
// example.
#pragma once

#include "transform/batched_call.h"

namespace tenon::transform {

/// The kernel of the built-in fallback at Batched.
tenon_status batch_each(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack);

/// Like batch_each(), for a single call that a rule declined.
void call_each(const tenon_op& op, BatchedCall& call, tenon_stack* stack);

/// Get and set whether the loop warns of its cost, once per operator.
bool warns_of_loops() noexcept;
void set_warns_of_loops(bool warns) noexcept;
/// Get and set whether the loop is allowed. If it is not, operators need a batching rule.
bool allows_loops() noexcept;
void set_allows_loops(bool allows) noexcept;

}  // namespace tenon::transform
