// SPDX-License-Identifier: Apache-2.0
// How public guards are entered: what the calling thread has is remembered, then changed.
#pragma once

#include "base/thread.h"
#include "guard.h"
#include "tenon/key_guard.h"

namespace tenon::capi {

/// Enters a guard: remembers the calling thread's words, then lets `change` work on its record.
/// `change` may throw as long as it has changed nothing.
template <class Change>
tenon_status enter_key_guard(tenon_key_guard* out_guard, Change change) {
  *out_guard = {};
  return guarded([&] {
    base::ThreadRecord& thread = *base::require_thread_record();
    const tenon_key_guard guard{thread.include,
                                thread.exclude,
                                thread.known_defaults,
                                &thread,
                                thread.nesting,
                                thread.grad_mode,
                                0};
    change(thread);
    ++thread.nesting;
    *out_guard = guard;
  });
}

}  // namespace tenon::capi
