// SPDX-License-Identifier: Apache-2.0
// The calling thread's key words: which keys it adds to every call and which it takes away.
#pragma once

#include "base/thread.h"
#include "dispatch/key_set.h"

namespace tenon::dispatch {

/// Both words, to be put back exactly. What was declared since, `known` not having it, takes its
/// default then.
struct KeyWords {
  tenon_keyset include = 0;
  tenon_keyset exclude = 0;
  tenon_keyset known = 0;  // see base::LateDefaults
};

/// The thread's words, as its next call has them.
inline KeyWords key_words() noexcept {
  const base::ThreadRecord* thread = base::current_thread();
  const tenon_keyset known = base::late_defaults.known.load(std::memory_order_acquire);
  const tenon_keyset fresh = known & ~thread->known_defaults;
  const tenon_keyset included = base::late_defaults.included.load(std::memory_order_relaxed);
  return {thread->include | (fresh & included), ~thread->keep | (fresh & ~included), known};
}
inline tenon_keyset included_keys() noexcept { return key_words().include; }
inline tenon_keyset excluded_keys() noexcept { return key_words().exclude; }

/// Sets both words, functionality bits only. The thread has a record (base::require_thread_record).
inline void set_key_words(const KeyWords& words) noexcept {
  base::ThreadRecord* thread = base::current_thread();
  thread->include = words.include & kFunctionalityMask;
  thread->keep = ~(words.exclude & kFunctionalityMask);
  if (thread->known_defaults != words.known) [[unlikely]] {
    thread->known_defaults = words.known;
    base::adopt_defaults(thread);
  }
}

/// Changes the words while it lives: adds keys, which needs no look at what was declared meanwhile.
/// On a thread without record the first step makes one; throws TENON_ERROR_OUT_OF_MEMORY.
class KeyGuard {
 public:
  static KeyGuard include(tenon_keyset keys) { return KeyGuard(keys & kFunctionalityMask, 0); }
  static KeyGuard exclude(tenon_keyset keys) { return KeyGuard(0, keys & kFunctionalityMask); }
  ~KeyGuard() {
    base::ThreadRecord* thread = base::current_thread();
    thread->include = include_;
    thread->keep = keep_;
    if (thread->known_defaults != known_) [[unlikely]] {
      thread->known_defaults = known_;
      base::adopt_defaults(thread);
    }
  }
  KeyGuard(const KeyGuard&) = delete;
  KeyGuard& operator=(const KeyGuard&) = delete;

 private:
  KeyGuard(tenon_keyset include, tenon_keyset exclude) {
    base::ThreadRecord* thread = base::require_thread_record();
    include_ = thread->include;
    keep_ = thread->keep;
    known_ = thread->known_defaults;
    thread->include |= include;
    thread->keep &= ~exclude;
  }
  uint64_t include_;
  uint64_t keep_;
  uint64_t known_;
};

}  // namespace tenon::dispatch
