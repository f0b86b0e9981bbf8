// SPDX-License-Identifier: Apache-2.0
// KeySet: a set of dispatch keys, and guards on the calling thread's keys.
#pragma once

#if __cplusplus <= 201703L
#error "tenon/hpp/keys.hpp needs C++20: compile with -std=c++20 or later"
#else

#include <initializer_list>
#include <string>

#include "tenon/buffer.h"
#include "tenon/hpp/error.hpp"
#include "tenon/key.h"
#include "tenon/key_guard.h"

// Usage:
//
//   const tenon_key logger = tenon::register_functionality("Logger", tenon::Above{"Autograd"});
//   const tenon::KeySet below = tenon::KeySet::below(logger);
//   std::cout << below.has(TENON_KEY_CPU) << '\n';

namespace tenon::inline hpp {

// Finds a key by name, such as "CPU" or "AutogradCPU".
inline tenon_key key(const std::string& name) {
  tenon_key out = TENON_KEY_NONE;
  check(tenon_key_parse(name.c_str(), &out));
  return out;
}

// Registers a backend, such as "npu", and returns the key of its kernels. Registering the same name
// again returns the same key.
inline tenon_key register_backend(const std::string& name) {
  int32_t device_type = 0;
  check(tenon_backend_register(name.c_str(), &device_type));
  tenon_key out = TENON_KEY_NONE;
  check(tenon_key_for_device(name.c_str(), &out));
  return out;
}

// The position of a key declared by register_functionality(): below or above the anchor.
struct Below {
  const char* anchor;
};
struct Above {
  const char* anchor;
};

// Whether threads include or exclude a key declared at run time by default.
enum class ThreadDefault : uint32_t {
  None = 0,
  Included = TENON_KEY_FLAG_INCLUDED,
  Excluded = TENON_KEY_FLAG_EXCLUDED,
};

namespace detail {

inline tenon_key register_functionality(const std::string& name, const char* anchor, uint32_t flags,
                                        bool per_backend, ThreadDefault thread_default) {
  tenon_key out = TENON_KEY_NONE;
  flags |= per_backend ? TENON_KEY_FLAG_PER_BACKEND : 0u;
  flags |= static_cast<uint32_t>(thread_default);
  check(tenon_functionality_register(name.c_str(), anchor, flags, &out));
  return out;
}

}  // namespace detail

// Declares a functionality key by name, such as register_functionality("Profiler",
// Below{"Autograd"}). It has one slot for all backends unless `per_backend` is set. Declaring it
// again with the same arguments returns the same key.
inline tenon_key register_functionality(const std::string& name, Below place,
                                        bool per_backend = false,
                                        ThreadDefault thread_default = ThreadDefault::None) {
  return detail::register_functionality(name, place.anchor, 0, per_backend, thread_default);
}
inline tenon_key register_functionality(const std::string& name, Above place,
                                        bool per_backend = false,
                                        ThreadDefault thread_default = ThreadDefault::None) {
  return detail::register_functionality(name, place.anchor, TENON_KEY_FLAG_ABOVE, per_backend,
                                        thread_default);
}

struct KeySet {
  tenon_keyset bits = 0;

  KeySet() = default;
  explicit KeySet(tenon_keyset keyset) : bits(keyset) {}
  // Returns the set of these runtime keys.
  static KeySet of(std::initializer_list<tenon_key> keys) {
    KeySet set;
    for (tenon_key key : keys) {
      tenon_keyset one = 0;
      check(tenon_keyset_from_key(key, &one));
      set.bits |= one;
    }
    return set;
  }
  // Returns all functionalities strictly below a key, with all backends.
  static KeySet below(tenon_key key) { return KeySet(tenon_keyset_below(key)); }

  bool has(tenon_key key) const { return tenon_keyset_has(bits, key) != 0; }
  tenon_key highest() const { return tenon_keyset_highest(bits); }
  KeySet without(tenon_key key) const { return KeySet(tenon_keyset_remove(bits, key)); }
  std::string str() const {
    tenon_buffer* text = nullptr;
    check(tenon_keyset_print(bits, &text));
    std::string result(static_cast<const char*>(tenon_buffer_data(text)));
    tenon_buffer_release(text);
    return result;
  }

  friend KeySet operator|(KeySet a, KeySet b) { return KeySet(a.bits | b.bits); }
  friend KeySet operator&(KeySet a, KeySet b) { return KeySet(a.bits & b.bits); }
  friend bool operator==(KeySet a, KeySet b) { return a.bits == b.bits; }
};

namespace detail {

// Leaves a key guard at the end of its scope, which must be on the thread that entered it.
class KeyGuard {
 public:
  KeyGuard(const KeyGuard&) = delete;
  KeyGuard& operator=(const KeyGuard&) = delete;
  ~KeyGuard() {
    // A destructor cannot report an error: if guards are left out of order, the keys do not change.
    if (entered_ && tenon_key_guard_leave(&guard_) != TENON_OK) {
      tenon_error_release(tenon_error_take());
    }
  }

 protected:
  KeyGuard() = default;
  void entered(tenon_status status) {
    check(status);
    entered_ = true;
  }
  tenon_key_guard guard_{};

 private:
  bool entered_ = false;
};

constexpr tenon_keyset functionality(uint32_t number) {
  return tenon_keyset{1} << (TENON_BACKEND_BITS + number);
}

}  // namespace detail

// Adds keys to every call of this thread while the guard lives.
class IncludeKeys : detail::KeyGuard {
 public:
  explicit IncludeKeys(KeySet keys) { entered(tenon_key_guard_include(keys.bits, &guard_)); }
};

// Removes keys from every call of this thread while the guard lives.
class ExcludeKeys : detail::KeyGuard {
 public:
  explicit ExcludeKeys(KeySet keys) { entered(tenon_key_guard_exclude(keys.bits, &guard_)); }
};

// Replaces the thread's included and excluded keys while the guard lives.
class ForceKeys : detail::KeyGuard {
 public:
  ForceKeys(KeySet include, KeySet exclude) {
    entered(tenon_key_guard_force(include.bits, exclude.bits, &guard_));
  }
};

// Excludes autograd from this thread's calls while the guard lives. For Autograd kernels that call
// other operators. ADInplaceOrView still tracks the views and in-place writes of those calls.
class AutoDispatchBelowAutograd : detail::KeyGuard {
 public:
  AutoDispatchBelowAutograd() {
    entered(tenon_key_guard_exclude(detail::functionality(TENON_FUNCTIONALITY_AUTOGRAD), &guard_));
  }
};

// Like AutoDispatchBelowAutograd, but also excludes ADInplaceOrView, which tracks views and
// in-place writes.
class AutoDispatchBelowADInplaceOrView : detail::KeyGuard {
 public:
  AutoDispatchBelowADInplaceOrView() {
    entered(
        tenon_key_guard_exclude(detail::functionality(TENON_FUNCTIONALITY_AUTOGRAD) |
                                    detail::functionality(TENON_FUNCTIONALITY_AD_INPLACE_OR_VIEW),
                                &guard_));
  }
};
// The older name of AutoDispatchBelowADInplaceOrView.
using AutoNonVariableTypeMode = AutoDispatchBelowADInplaceOrView;

}  // namespace tenon::inline hpp

#endif
