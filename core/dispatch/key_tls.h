// SPDX-License-Identifier: Apache-2.0
// The calling thread's key state: the keys that it adds to every call and those that it removes.
#pragma once

#include "base/thread.h"
#include "dispatch/key_set.h"

namespace tenon::dispatch {

/// All of a thread's key state, so that it can be restored exactly. Functionalities declared after
/// the state was saved, which `known` does not contain, get their defaults when it is restored.
struct KeyState {
  tenon_keyset include = base::kDefaultInclude;
  tenon_keyset exclude = base::kDefaultExclude;  // without the keys that the grad mode removes
  tenon_keyset known = 0;                        // late defaults included, see base::LateDefaults
  uint32_t grad_mode = TENON_GRAD_MODE_ON;
  bool follows_tangents = false;  // see base::ThreadRecord
};

/// Returns the thread's key state, including late defaults that the thread itself adopts only with
/// its next call.
inline KeyState key_state() noexcept {
  const base::ThreadRecord* thread = base::current_thread();
  const tenon_keyset known = base::late_defaults.known.load(std::memory_order_acquire);
  const tenon_keyset fresh = known & ~thread->known_defaults;
  const tenon_keyset included = base::late_defaults.included.load(std::memory_order_relaxed);
  return {thread->include | (fresh & included), thread->exclude | (fresh & ~included), known,
          thread->grad_mode, thread->follows_tangents};
}
inline tenon_keyset included_keys() noexcept { return key_state().include; }
inline tenon_keyset excluded_keys() noexcept { return key_state().exclude; }

/// Records which late defaults the thread's key state contains, and adopts all that are missing.
inline void set_known_defaults(base::ThreadRecord* thread, tenon_keyset known) noexcept {
  if (thread->known_defaults != known) [[unlikely]] {
    thread->known_defaults = known;
    base::adopt_defaults(thread);
  }
}

/// Sets the whole key state, functionality bits only. The thread must have a record
/// (base::require_thread_record).
inline void set_key_state(const KeyState& state) noexcept {
  TENON_DCHECK(base::has_thread_record());
  base::ThreadRecord* thread = base::current_thread();
  thread->include = state.include & kFunctionalityMask;
  thread->exclude = state.exclude & kFunctionalityMask;
  thread->follows_tangents = state.follows_tangents;
  base::set_grad_mode(thread, state.grad_mode);
  set_known_defaults(thread, state.known);
}

/// RAII: adds keys to those that the thread includes or excludes, and removes them again on
/// destruction, also during a forced unwind. Only keys that this guard added are removed, so that a
/// functionality declared in between keeps its default. The grad mode is not changed. On a thread
/// without a record, creating the guard makes one and may throw TENON_ERROR_OUT_OF_MEMORY.
class KeyGuard {
 public:
  static KeyGuard include(tenon_keyset keys) {
    return {base::require_thread_record(), keys & kFunctionalityMask, 0};
  }
  static KeyGuard exclude(tenon_keyset keys) {
    return {base::require_thread_record(), 0, keys & kFunctionalityMask};
  }
  /// Like exclude() above, for a caller that already has the calling thread's record.
  static KeyGuard exclude(base::ThreadRecord* thread, tenon_keyset keys) noexcept {
    return {thread, 0, keys & kFunctionalityMask};
  }
  [[gnu::always_inline]] ~KeyGuard() {
    TENON_DCHECK(thread_ == base::current_thread());
    TENON_DCHECK((excluded_ & ~thread_->exclude) == 0);  // guards nest
    thread_->include &= ~included_;
    thread_->exclude &= ~excluded_;
    thread_->keep |= excluded_;
    if ((excluded_ & base::kAutogradBit) != 0) base::set_exclude(thread_, thread_->exclude);
  }
  KeyGuard(const KeyGuard&) = delete;
  KeyGuard& operator=(const KeyGuard&) = delete;

 private:
  [[gnu::always_inline]] KeyGuard(base::ThreadRecord* thread, tenon_keyset include,
                                  tenon_keyset exclude) noexcept
      : thread_(thread),
        included_(include & ~thread->include),
        excluded_(exclude & ~thread->exclude) {
    thread->include |= include;
    thread->exclude |= exclude;
    thread->keep &= ~exclude;
  }
  base::ThreadRecord* const thread_;
  const tenon_keyset included_;  // added by this guard
  const tenon_keyset excluded_;
};

}  // namespace tenon::dispatch
