// SPDX-License-Identifier: Apache-2.0
// State: a thread's autocast settings for each device type, and its cached casts.
#pragma once

#include <atomic>
#include <cstdint>

#include "autocast/cache.h"
#include "dispatch/key_set.h"
#include "dispatch/thread_slot.h"
#include "tensor/device.h"

namespace tenon::autocast {

constexpr tenon_keyset kAutocast = dispatch::functionality_bit(TENON_FUNCTIONALITY_AUTOCAST);

/// Number of device types that can have autocast: those with a smaller number than Meta.
constexpr int32_t kAutocastTypes = TENON_BACKEND_META;

struct Settings {
  Settings() noexcept;
  bool operator==(const Settings&) const noexcept = default;

  uint32_t enabled = 0;  // one bit per device type; ignored while Autocast is excluded
  bool caches = true;
  int8_t dtypes[kAutocastTypes];  // TENON_DTYPE_*: the lower precision of each device type
};

/// The autocast state of one thread.
struct State {
  Settings settings;
  uint32_t depth = 0;  // number of entered regions that were not left yet
  Cache cache;
};

extern dispatch::OwnSlot state_slot;

/// Returns the calling thread's state; NULL if nothing was ever set. Thread states carry it,
/// without the cache.
inline State* thread_state() noexcept { return static_cast<State*>(state_slot.word()); }
/// Like thread_state(), but creates the state on first use. Throws std::bad_alloc.
State& require_thread_state();

/// Returns the settings that apply to the calling thread's calls.
Settings thread_settings() noexcept;
/// Sets the settings and key state of the calling thread, which must have a record and a state.
void set_thread_settings(const Settings& settings) noexcept;

/// Throws TENON_ERROR_INVALID_ARGUMENT for a device type without autocast, and TENON_ERROR_TYPE for
/// a dtype that is not floating; `who` begins the message.
void check_device_type(const char* who, int32_t device_type);
void check_dtype(const char* who, tenon_dtype dtype);

/// Returns the lower precision of a device type on the calling thread.
tenon_dtype lower_precision(int32_t device_type) noexcept;

}  // namespace tenon::autocast
