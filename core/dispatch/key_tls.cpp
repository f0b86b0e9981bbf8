// SPDX-License-Identifier: Apache-2.0
#include "dispatch/key_tls.h"

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

}  // namespace tenon::dispatch
