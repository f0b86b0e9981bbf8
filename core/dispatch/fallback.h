// SPDX-License-Identifier: Apache-2.0
// Fallbacks: kernels for all operators at a key, with an optional selector, and the built-in ones.
#pragma once

#include <vector>

#include "dispatch/built_in.h"
#include "dispatch/dispatch_key.h"
#include "dispatch/operator_entry.h"
#include "tenon/device.h"
#include "tenon/key.h"
#include "tenon/library.h"
#include "tenon/value.h"
#include "tensor/tensor.h"

namespace tenon::dispatch {

/// A fallback, installed on one key or on all keys of an alias.
struct Fallback {
  Fallback() noexcept;
  const uint64_t number;  // never reused, unlike the address
  KernelPtr kernel;
  tenon_fallback_select select = nullptr;  // NULL if it concerns all operators
  std::vector<tenon_key> keys;             // where it is installed
  const BuiltIn* built_in = nullptr;       // NULL if registered
  bool shared = false;                     // tables refer to its kernel by kShared
};

/// Fallbacks by slot. A registered fallback takes precedence over the built-in one. Needs the
/// registry's lock.
class FallbackTable {
 public:
  FallbackTable();

  const Fallback* at(uint32_t slot) const noexcept {
    return slot < places_.size() ? places_[slot].active() : nullptr;
  }
  const Fallback* registered_at(uint32_t slot) const noexcept {
    return slot < places_.size() ? places_[slot].registered : nullptr;
  }
  void install(Fallback* fallback);
  void remove(const Fallback* fallback) noexcept;
  /// Returns true if all slots of the functionality that begins at `slot` have the same fallback.
  bool is_uniform(uint32_t slot) const noexcept {
    return slot < places_.size() && places_[slot].uniform;
  }
  /// Returns the registered fallbacks with a selector, which are asked about each new operator.
  const std::vector<const Fallback*>& selective() const noexcept { return selective_; }

 private:
  struct FallbackEntry {
    const Fallback* registered = nullptr;
    const Fallback* built_in = nullptr;
    bool uniform = true;
    const Fallback* active() const { return registered != nullptr ? registered : built_in; }
  };
  void compare_rows() noexcept;
  std::vector<FallbackEntry> places_;
  std::vector<const Fallback*> selective_;
};

/// Returns the kernel of the built-in fallback that serves all operators at a functionality, NULL
/// if there is none. Tables refer to it by kShared, because most operators never get there.
const Kernel* shared_kernel(uint32_t functionality) noexcept;

/// Returns the kernel that a table has for one of its slots, NULL if nothing serves it.
const Kernel* kernel_of_slot(const Snapshot& snapshot, uint32_t slot) noexcept;

/// Kernel of the built-in BackendSelect fallback: adds the dense_keys() of the first device
/// argument, CPU without one, and redispatches.
tenon_status select_backend(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack);

/// Returns the keys by which an operator makes tensors on a device, CPU if it is NULL: the backend
/// with Dense, or with Fake for a fake device. The device's type must be a backend's.
inline tenon_keyset dense_keys(const tenon_device* device) noexcept {
  if (device == nullptr) return functionality_bit(TENON_FUNCTIONALITY_DENSE) | backend_bit(0);
  const uint32_t made =
      tensor::is_fake_device(*device) ? TENON_FUNCTIONALITY_FAKE : TENON_FUNCTIONALITY_DENSE;
  return functionality_bit(made) | backend_bit(static_cast<uint32_t>(device->type));
}

/// Replaces BackendSelect among the keys of a call by the choice of select_backend(), so that a
/// call of an operator without tensors needs one dispatch instead of two. Returns the keys
/// unchanged if BackendSelect is not among them or the device's type is unknown.
tenon_keyset choose_backend(tenon_keyset keys, const tenon_value* args, uint32_t nargs) noexcept;

/// Bumps the versions of the arguments at the positions in `left`, of any type. Bit 63 covers all
/// written ones from there on.
void bump_others(const tenon_op* op, const tenon_value* args, uint32_t nargs,
                 uint64_t left) noexcept;

/// Bumps the versions of the arguments that the operator writes.
[[gnu::always_inline]] inline void bump_written(const tenon_op* op, const tenon_value* args,
                                                uint32_t nargs) noexcept {
  for (uint64_t left = op->written.load(std::memory_order_relaxed); left != 0; left &= left - 1) {
    const auto position = static_cast<uint32_t>(__builtin_ctzll(left));
    // An operator that was redefined with other arguments may lack some.
    if (position >= nargs || position == 63 || args[position].tag != TENON_TAG_TENSOR)
        [[unlikely]] {
      return bump_others(op, args, nargs, left);
    }
    args[position].as.tensor->count_write();
  }
}

/// Kernel of the built-in ADInplaceOrView fallback: bumps the versions of written arguments and
/// redispatches, with the key excluded for the calls that the kernel makes; marks views that the
/// call returns as a list. Most calls never get here: the call path bumps versions in a single
/// dispatch, see write_path.cpp.
tenon_status bump_versions(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack);

}  // namespace tenon::dispatch
