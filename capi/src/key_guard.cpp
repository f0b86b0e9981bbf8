// SPDX-License-Identifier: Apache-2.0
// Guards on the calling thread's keys; see tenon/key_guard.h.
#include "key_guard.h"

#include "base/check.h"
#include "dispatch/key_set.h"
#include "dispatch/key_tls.h"
#include "not_null.h"

namespace dispatch = tenon::dispatch;
using tenon::base::ThreadRecord;
using tenon::capi::enter_key_guard;
using tenon::capi::guarded;

namespace {

// Returns the keys that a guard may exclude: functionalities except Fake, because no kernel below
// that key can read fake tensors.
tenon_keyset excludable(tenon_keyset keys) noexcept {
  return keys & dispatch::kFunctionalityMask &
         ~dispatch::functionality_bit(TENON_FUNCTIONALITY_FAKE);
}

[[gnu::cold, gnu::noinline]] tenon_status refuse_leave(const tenon_key_guard& guard,
                                                       const ThreadRecord& thread) {
  return guarded([&] {
    TENON_CHECK(guard.thread == &thread, TENON_ERROR_STATE,
                "tenon_key_guard_leave: guard must be left on the thread that entered it, got ",
                guard.thread == nullptr ? "one that was not entered" : "another thread");
    tenon::fail(TENON_ERROR_STATE,
                "tenon_key_guard_leave: guard must be the innermost of its thread, number ",
                thread.nesting, ", got number ", guard.depth + 1);
  });
}

}  // namespace

extern "C" {

tenon_status tenon_key_guard_include(tenon_keyset keys, tenon_key_guard* out_guard) {
  TENON_NEVER_NULL(out_guard);
  return enter_key_guard(out_guard, [&](ThreadRecord& thread) {
    thread.include |= keys & dispatch::kFunctionalityMask;
  });
}

tenon_status tenon_key_guard_exclude(tenon_keyset keys, tenon_key_guard* out_guard) {
  TENON_NEVER_NULL(out_guard);
  return enter_key_guard(out_guard, [&](ThreadRecord& thread) {
    thread.exclude |= excludable(keys);
    thread.keep &= ~thread.exclude;
  });
}

tenon_status tenon_key_guard_force(tenon_keyset include, tenon_keyset exclude,
                                   tenon_key_guard* out_guard) {
  TENON_NEVER_NULL(out_guard);
  return enter_key_guard(out_guard, [&](ThreadRecord& thread) {
    // The caller's sets replace the defaults of all keys declared so far, which thus count as
    // known.
    dispatch::set_key_state({include, excludable(exclude), dispatch::key_state().known,
                             thread.grad_mode, thread.follows_tangents});
  });
}

tenon_status tenon_key_guard_leave(const tenon_key_guard* guard) {
  TENON_NEVER_NULL(guard);
  ThreadRecord* thread = tenon::base::current_thread();
  if (guard->thread != thread || guard->depth + 1 != thread->nesting) [[unlikely]] {
    return refuse_leave(*guard, *thread);
  }
  thread->nesting = guard->depth;
  thread->include = guard->include;
  tenon::base::set_exclude(thread, guard->exclude);
  if (guard->grad_mode != thread->grad_mode) tenon::base::set_grad_mode(thread, guard->grad_mode);
  dispatch::set_known_defaults(thread, guard->known);
  return TENON_OK;
}

}  // extern "C"
