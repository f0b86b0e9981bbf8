// SPDX-License-Identifier: Apache-2.0
// Calling what serves an operator below Autograd.
#pragma once

#include "autograd/tensor_state.h"
#include "dispatch/call_path.h"
#include "dispatch/fallback.h"
#include "dispatch/key_tls.h"

namespace tenon::autograd {

/// What counts writes: a recorded call does that itself.
constexpr tenon_keyset kWrites =
    dispatch::functionality_bit(TENON_FUNCTIONALITY_AD_INPLACE_OR_VIEW);
/// What a recorded call leaves to its kernel.
constexpr tenon_keyset kBelow = (kAutograd - 1) & ~kWrites;

/// Runs the kernel below with both keys excluded for what it calls; one that calls nothing without.
inline tenon_status call_below(const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  keys &= kBelow;
  base::ThreadRecord* thread = base::current_thread();
  base::RunningPlace* place = thread->top.load(std::memory_order_relaxed);
  if (base::can_enter(thread, place)) [[likely]] {
    base::push_owner(thread, place, op);
    const dispatch::Snapshot* snapshot = op->snapshot.load(std::memory_order_acquire);
    const tenon_keyset masked = keys & snapshot->mask;
    const dispatch::Kernel* kernel = nullptr;
    if (dispatch::stack_counts(*stack) == snapshot->counts &&
        dispatch::find_kernel_below(*snapshot, masked, &kernel) &&
        (kernel->entry.flags & TENON_KERNEL_LEAF) != 0) [[likely]] {
      return dispatch::run_kernel(op, kernel, masked, stack, place, dispatch::finish_redispatch);
    }
    base::leave(thread, place);
  }
  const auto guard = dispatch::KeyGuard::exclude(kAutograd | kWrites);
  return dispatch::redispatch(op, keys, stack);
}

}  // namespace tenon::autograd
