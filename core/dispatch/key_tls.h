// SPDX-License-Identifier: Apache-2.0
// The calling thread's key words: which keys it adds to every call and which it takes away.
#pragma once

#include "base/thread.h"
#include "dispatch/key_set.h"

namespace tenon::dispatch {

inline tenon_keyset included_keys() noexcept { return base::current_thread()->include; }
inline tenon_keyset excluded_keys() noexcept { return ~base::current_thread()->keep; }

/// Both words, to be put back exactly.
struct KeyWords {
  tenon_keyset include;
  tenon_keyset exclude;
};
inline KeyWords key_words() noexcept { return {included_keys(), excluded_keys()}; }

/// Sets both words, functionality bits only. The thread has a record (base::require_thread_record).
inline void set_key_words(KeyWords words) noexcept {
  base::ThreadRecord* thread = base::current_thread();
  thread->include = words.include & kFunctionalityMask;
  thread->keep = ~(words.exclude & kFunctionalityMask);
}

/// Changes the words while it lives. On a thread without record the first step makes one; throws
/// TENON_ERROR_OUT_OF_MEMORY.
class KeyGuard {
 public:
  static KeyGuard include(tenon_keyset keys) {
    return KeyGuard({included_keys() | keys, excluded_keys()});
  }
  static KeyGuard exclude(tenon_keyset keys) {
    return KeyGuard({included_keys(), excluded_keys() | keys});
  }
  static KeyGuard force(KeyWords words) { return KeyGuard(words); }
  ~KeyGuard() { set_key_words(before_); }
  KeyGuard(const KeyGuard&) = delete;
  KeyGuard& operator=(const KeyGuard&) = delete;

 private:
  explicit KeyGuard(KeyWords now) : before_(key_words()) {
    base::require_thread_record();
    set_key_words(now);
  }
  KeyWords before_;
};

}  // namespace tenon::dispatch
