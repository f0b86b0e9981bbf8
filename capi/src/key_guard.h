// SPDX-License-Identifier: Apache-2.0
// Enters public guards: saves the calling thread's key state, then changes it.
#pragma once

#include "base/thread.h"
#include "guard.h"
#include "tenon/key_guard.h"

namespace tenon::capi {

/// Enters a guard: saves the calling thread's key state in `out_guard`, then calls `change` with
/// the thread's record. `change` must not throw.
template <class Change>
tenon_status enter_key_guard(tenon_key_guard* out_guard, Change change) {
  base::ThreadRecord* thread = base::current_thread();
  if (!base::has_thread_record()) [[unlikely]] {
    *out_guard = {};
    thread = base::own_thread_record();
    if (thread == nullptr) {
      return guarded([] { base::make_required_thread_record(); });
    }
  }
  out_guard->include = thread->include;
  out_guard->exclude = thread->exclude;
  out_guard->known = thread->known_defaults;
  out_guard->thread = thread;
  out_guard->depth = thread->nesting++;
  out_guard->grad_mode = thread->grad_mode;
  out_guard->reserved = 0;
  change(*thread);
  return TENON_OK;
}

}  // namespace tenon::capi
