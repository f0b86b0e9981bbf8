// SPDX-License-Identifier: Apache-2.0
// Calls of the kernel that serves an operator below Autograd.
#pragma once

#include "autograd/tensor_state.h"
#include "dispatch/call_path.h"
#include "dispatch/fallback.h"
#include "dispatch/key_tls.h"

namespace tenon::autograd {

/// ADInplaceOrView. Recorded calls bump the version counters themselves.
constexpr tenon_keyset kWrites =
    dispatch::functionality_bit(TENON_FUNCTIONALITY_AD_INPLACE_OR_VIEW);
/// The keys that a recorded call dispatches to: those below Autograd, without ADInplaceOrView.
constexpr tenon_keyset kBelow = (kAutograd - 1) & ~kWrites;

/// Runs the next kernel with Autograd and ADInplaceOrView excluded for the calls that it makes. A
/// leaf kernel calls no operators, so it runs without the guard.
inline tenon_status call_below(const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  keys &= kBelow;
  base::ThreadRecord* thread = base::current_thread();
  base::RunningPlace* place = thread->top.load(std::memory_order_relaxed);
  if (base::can_enter(thread, place)) [[likely]] {
    // The stack of running places has room: look for a leaf kernel.
    base::push_owner(thread, place, op);
    const dispatch::Snapshot* snapshot = op->snapshot.load(std::memory_order_acquire);
    const tenon_keyset masked = keys & snapshot->mask;
    const dispatch::Kernel* kernel = nullptr;
    if (dispatch::stack_counts(*stack) == snapshot->counts &&
        dispatch::find_kernel_below(*snapshot, masked, &kernel) &&
        (kernel->entry.flags & TENON_KERNEL_LEAF) != 0) [[likely]] {
      // Leaf kernel, and a stack that matches the snapshot's schema: call it without the guard.
      return dispatch::run_kernel(op, kernel, masked, stack, place, dispatch::finish_redispatch);
    }
    base::leave(thread, place);
  }
  // Not a leaf kernel, or a case for the slow path: dispatch with a guard.
  const auto guard = dispatch::KeyGuard::exclude(kAutograd | kWrites);
  return dispatch::redispatch(op, keys, stack);
}

}  // namespace tenon::autograd
