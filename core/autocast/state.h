// SPDX-License-Identifier: Apache-2.0
// State: what autocast does to a thread's calls, of each device type, and the casts that it keeps.
#pragma once

#include <atomic>
#include <cstdint>

#include "autocast/cache.h"
#include "dispatch/key_set.h"
#include "dispatch/thread_slot.h"
#include "tensor/device.h"

namespace tenon::autocast {

constexpr tenon_keyset kAutocast = dispatch::functionality_bit(TENON_FUNCTIONALITY_AUTOCAST);

/// Device types that have autocast: all but Meta, whose tensors are on no device.
constexpr int32_t kAutocastTypes = TENON_BACKEND_META;

struct Settings {
  Settings() noexcept;
  bool operator==(const Settings&) const noexcept = default;

  uint32_t enabled = 0;  // a bit for each device type; counts while Autocast is not excluded
  bool caches = true;
  int8_t dtypes[kAutocastTypes];  // TENON_DTYPE_*: the lower precisions
};

/// A thread's.
struct State {
  Settings settings;
  uint32_t depth = 0;  // regions that were entered and not left
  Cache cache;
};

extern dispatch::OwnSlot state_slot;

/// The calling thread's; NULL where nothing was ever set. Thread states carry it, but for the
/// cache.
inline State* thread_state() noexcept { return static_cast<State*>(state_slot.word()); }
/// The same, made on demand. Throws std::bad_alloc.
State& require_thread_state();

/// The calling thread's settings, as its calls have them.
Settings thread_settings() noexcept;
/// Sets those of the calling thread, which has a record and a state, and its key words.
void set_thread_settings(const Settings& settings) noexcept;

/// Throws TENON_ERROR_INVALID_ARGUMENT for a device type without autocast, TENON_ERROR_TYPE for a
/// dtype that tensors cannot be cast to; `who` begins the message.
void check_device_type(const char* who, int32_t device_type);
void check_dtype(const char* who, tenon_dtype dtype);

/// The lower precision of a device type on the calling thread.
tenon_dtype lower_precision(int32_t device_type) noexcept;

}  // namespace tenon::autocast
