// SPDX-License-Identifier: Apache-2.0
#include "dispatch/key_tls.h"

#include "base/live_count.h"

using tenon::base::count_live;

tenon_thread_state::tenon_thread_state(tenon::dispatch::KeyWords words) noexcept : keys(words) {
  count_live(TENON_HANDLE_THREAD_STATE, 1);
}

tenon_thread_state::~tenon_thread_state() { count_live(TENON_HANDLE_THREAD_STATE, -1); }

namespace tenon::dispatch {

void set_key_words(KeyWords words) noexcept {
  base::ThreadRecord* thread = base::current_thread();
  thread->include = words.include & kFunctionalityMask;
  thread->keep = ~(words.exclude & kFunctionalityMask);
}

KeyGuard::KeyGuard(KeyWords now) : before_(key_words()) {
  base::require_thread_record();
  set_key_words(now);
}

KeyGuard KeyGuard::include(tenon_keyset keys) {
  return KeyGuard({included_keys() | keys, excluded_keys()});
}

KeyGuard KeyGuard::exclude(tenon_keyset keys) {
  return KeyGuard({included_keys(), excluded_keys() | keys});
}

KeyGuard KeyGuard::force(KeyWords words) { return KeyGuard(words); }

ThreadStatePtr capture_thread_state() { return base::make_intrusive<ThreadState>(key_words()); }

ThreadStatePtr enter_thread_state(const ThreadState& state) {
  base::require_thread_record();
  ThreadStatePtr previous = capture_thread_state();
  set_key_words(state.keys);
  return previous;
}

void leave_thread_state(ThreadStatePtr previous) noexcept {
  if (previous) set_key_words(previous->keys);
}

}  // namespace tenon::dispatch
