// SPDX-License-Identifier: Apache-2.0
// Fallbacks: kernels for all operators at a key, with a selector, and those that are built in.
#pragma once

#include <vector>

#include "dispatch/operator_entry.h"

namespace tenon::dispatch {

/// A fallback, installed on one key or on all keys of an alias.
struct Fallback {
  KernelPtr kernel;
  tenon_fallback_select select = nullptr;  // NULL: concerns all operators
  std::vector<tenon_key> keys;             // where it is installed
  bool built_in = false;
};

/// Fallbacks by slot. A registered one stands in front of the built-in one. Needs the registry's
/// lock.
class FallbackTable {
 public:
  FallbackTable();

  const Fallback* at(uint32_t slot) const noexcept {
    return slot < places_.size() ? places_[slot].active() : nullptr;
  }
  const Fallback* registered_at(uint32_t slot) const noexcept {
    return slot < places_.size() ? places_[slot].registered : nullptr;
  }
  void install(const Fallback* fallback);
  void remove(const Fallback* fallback) noexcept;
  /// Registered fallbacks with a selector, for asking them about a new operator.
  std::vector<const Fallback*> selective() const;

 private:
  struct Place {
    const Fallback* registered = nullptr;
    const Fallback* built_in = nullptr;
    const Fallback* active() const { return registered != nullptr ? registered : built_in; }
  };
  std::vector<Place> places_;
};

/// Kernel of the built-in BackendSelect fallback: adds Dense and the backend of the first device
/// argument, CPU without one, and calls again below.
tenon_status select_backend(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack);

/// Kernel of the built-in ADInplaceOrView fallback: bumps the versions of written arguments and
/// calls again below, without the key for what the kernel itself calls.
tenon_status bump_versions(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack);

}  // namespace tenon::dispatch
