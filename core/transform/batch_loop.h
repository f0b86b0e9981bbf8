// SPDX-License-Identifier: Apache-2.0
// What serves an operator without a batching rule in a vmap: it is called for each of the mapped.
#pragma once

#include "transform/batched_call.h"

namespace tenon::transform {

/// The kernel of the built-in fallback at Batched.
tenon_status batch_each(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack);

/// The same for one call that a rule has declined.
void call_each(const tenon_op& op, BatchedCall& call, tenon_stack* stack);

/// Whether the loop warns of itself, once an operator; and sets it.
bool warns_of_loops() noexcept;
void set_warns_of_loops(bool warns) noexcept;
/// Whether there is a loop at all: without, operators need a rule.
bool allows_loops() noexcept;
void set_allows_loops(bool allows) noexcept;

}  // namespace tenon::transform
