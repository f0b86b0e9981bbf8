// SPDX-License-Identifier: Apache-2.0
// Guards on the calling thread's keys; see tenon/key_guard.h.
#include "tenon/key_guard.h"

#include "base/check.h"
#include "dispatch/key_set.h"
#include "dispatch/key_tls.h"
#include "guard.h"

namespace dispatch = tenon::dispatch;
using tenon::base::ThreadRecord;
using tenon::capi::guarded;

namespace {

// Enters a guard: remembers the calling thread's words, then lets `change` work on its record.
template <class Change>
tenon_status enter_guard(tenon_key_guard* out_guard, Change change) {
  *out_guard = {};
  return guarded([&] {
    ThreadRecord& thread = *tenon::base::require_thread_record();
    *out_guard = tenon_key_guard{
        thread.include, ~thread.keep, thread.known_defaults, &thread, thread.nesting, 0, 0};
    ++thread.nesting;
    change(thread);
  });
}

}  // namespace

extern "C" {

tenon_status tenon_key_guard_include(tenon_keyset keys, tenon_key_guard* out_guard) {
  return enter_guard(out_guard, [&](ThreadRecord& thread) {
    thread.include |= keys & dispatch::kFunctionalityMask;
  });
}

tenon_status tenon_key_guard_exclude(tenon_keyset keys, tenon_key_guard* out_guard) {
  return enter_guard(out_guard, [&](ThreadRecord& thread) {
    thread.keep &= ~(keys & dispatch::kFunctionalityMask);
  });
}

tenon_status tenon_key_guard_force(tenon_keyset include, tenon_keyset exclude,
                                   tenon_key_guard* out_guard) {
  return enter_guard(out_guard, [&](ThreadRecord&) {
    // Whoever forces words has seen all keys that exist now.
    dispatch::set_key_words({include, exclude, dispatch::key_words().known});
  });
}

tenon_status tenon_key_guard_leave(const tenon_key_guard* guard) {
  return guarded([&] {
    ThreadRecord* thread = tenon::base::current_thread();
    TENON_CHECK(guard->thread == thread, TENON_ERROR_STATE,
                "tenon_key_guard_leave: guard must be left on the thread that entered it, got ",
                guard->thread == nullptr ? "one that was not entered" : "another thread");
    TENON_CHECK(guard->depth + 1 == thread->nesting, TENON_ERROR_STATE,
                "tenon_key_guard_leave: guard must be the innermost of its thread, number ",
                thread->nesting, ", got number ", guard->depth + 1);
    thread->nesting = guard->depth;
    dispatch::set_key_words({guard->include, guard->exclude, guard->known});
  });
}

}  // extern "C"
