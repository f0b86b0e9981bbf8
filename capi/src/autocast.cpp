// SPDX-License-Identifier: Apache-2.0
// Autocast over core/autocast; see tenon/autocast.h.
#include "tenon/autocast.h"

#include "autocast/cast.h"
#include "autocast/rule.h"
#include "autocast/state.h"
#include "base/check.h"
#include "base/read_struct.h"
#include "guard.h"
#include "key_guard.h"
#include "not_null.h"
#include "out_struct.h"

namespace autocast = tenon::autocast;
using tenon::capi::guarded;

namespace {

constexpr size_t kFirstState = 32;
constexpr size_t kFirstRule = 64;

// Returns the calling thread's settings, with those of one device type replaced by `given`.
autocast::Settings changed_settings(const char* function, int32_t device_type,
                                    const tenon_autocast_state* given) {
  autocast::check_device_type(function, device_type);
  autocast::Settings settings = autocast::thread_settings();
  const uint32_t bit = uint32_t{1} << device_type;
  if (given == nullptr) {
    settings.enabled |= bit;
    return settings;
  }
  const auto whole = tenon::base::read_struct(function, kFirstState, *given);
  tenon::base::check_reserved(function, whole.reserved0, whole.reserved);
  TENON_CHECK_ARG((whole.flags & ~(TENON_AUTOCAST_ENABLED | TENON_AUTOCAST_CACHE)) == 0, function,
                  ": flags must be TENON_AUTOCAST_* bits, got ", whole.flags);
  autocast::check_dtype(function, whole.dtype);
  const bool enabled = (whole.flags & TENON_AUTOCAST_ENABLED) != 0;
  settings.enabled = enabled ? settings.enabled | bit : settings.enabled & ~bit;
  settings.caches = (whole.flags & TENON_AUTOCAST_CACHE) != 0;
  settings.dtypes[device_type] = static_cast<int8_t>(whole.dtype);
  return settings;
}

uint32_t flags_of(const autocast::Settings& settings, int32_t device_type) {
  const bool enabled = (settings.enabled >> device_type & 1) != 0;
  return (enabled ? TENON_AUTOCAST_ENABLED : 0) | (settings.caches ? TENON_AUTOCAST_CACHE : 0);
}

}  // namespace

extern "C" {

tenon_status tenon_autocast_enter(int32_t device_type, const tenon_autocast_state* state_or_null,
                                  tenon_autocast_guard* out_guard) {
  TENON_REQUIRE(out_guard);
  *out_guard = {};
  return guarded([&] {
    const autocast::Settings inside =
        changed_settings("tenon_autocast_enter", device_type, state_or_null);
    autocast::State& state = autocast::require_thread_state();
    out_guard->device_type = device_type;
    out_guard->dtype = state.settings.dtypes[device_type];
    out_guard->enabled = state.settings.enabled;
    out_guard->flags = flags_of(state.settings, device_type);
    const tenon_status status =
        tenon::capi::enter_key_guard(&out_guard->keys, [&](tenon::base::ThreadRecord&) {
          ++state.depth;
          autocast::set_thread_settings(inside);
        });
    if (status != TENON_OK) *out_guard = {};
    return status;
  });
}

tenon_status tenon_autocast_leave(const tenon_autocast_guard* guard) {
  TENON_REQUIRE(guard);
  const tenon_status status = tenon_key_guard_leave(&guard->keys);
  if (status != TENON_OK) return status;
  autocast::State& state = *autocast::thread_state();
  state.settings.enabled = guard->enabled;
  state.settings.caches = (guard->flags & TENON_AUTOCAST_CACHE) != 0;
  state.settings.dtypes[guard->device_type] = static_cast<int8_t>(guard->dtype);
  if (--state.depth == 0) state.cache.clear();
  return TENON_OK;
}

tenon_status tenon_autocast_set(int32_t device_type, const tenon_autocast_state* state) {
  return guarded([&] {
    constexpr const char* kFunction = "tenon_autocast_set";
    TENON_CHECK_ARG(state != nullptr, kFunction, ": state must be given, got NULL");
    const autocast::Settings settings = changed_settings(kFunction, device_type, state);
    tenon::base::require_thread_record();
    autocast::require_thread_state();
    autocast::set_thread_settings(settings);
  });
}

tenon_status tenon_autocast_get(int32_t device_type, tenon_autocast_state* out_state) {
  TENON_REQUIRE(out_state);
  return guarded([&] {
    constexpr const char* kFunction = "tenon_autocast_get";
    tenon::capi::fill_struct(kFunction, kFirstState, out_state, [&] {
      autocast::check_device_type(kFunction, device_type);
      const autocast::Settings settings = autocast::thread_settings();
      tenon_autocast_state state{};
      state.flags = flags_of(settings, device_type);
      state.dtype = settings.dtypes[device_type];
      return state;
    });
  });
}

void tenon_autocast_clear_cache(void) {
  if (autocast::State* state = autocast::thread_state()) state->cache.clear();
}

tenon_status tenon_autocast_cast(int32_t device_type, tenon_dtype dtype, const tenon_value* value,
                                 tenon_value* out_value) {
  TENON_REQUIRE(out_value);
  *out_value = {};
  return guarded([&] {
    constexpr const char* kFunction = "tenon_autocast_cast";
    autocast::check_device_type(kFunction, device_type);
    autocast::check_dtype(kFunction, dtype);
    TENON_CHECK_ARG(value != nullptr, kFunction, ": value must be given, got NULL");
    *out_value = autocast::cast_value(*value, dtype, device_type);
  });
}

tenon_status tenon_autocast_promote(int32_t device_type, tenon_dtype initial,
                                    const tenon_value* values, int64_t count,
                                    tenon_dtype* out_dtype) {
  TENON_REQUIRE(out_dtype);
  *out_dtype = TENON_DTYPE_NONE;
  return guarded([&] {
    constexpr const char* kFunction = "tenon_autocast_promote";
    autocast::check_device_type(kFunction, device_type);
    TENON_CHECK_ARG(count >= 0 && (count == 0 || values != nullptr), kFunction,
                    ": values must be given, got ", count < 0 ? "a negative count" : "NULL");
    *out_dtype =
        autocast::promote(kFunction, initial, {values, static_cast<size_t>(count)}, device_type);
  });
}

tenon_status tenon_library_register_autocast(tenon_library* library, const char* name,
                                             const tenon_cast_rule* rule,
                                             tenon_registration** out_registration) {
  if (out_registration != nullptr) *out_registration = nullptr;
  return guarded([&] {
    constexpr const char* kFunction = "tenon_library_register_autocast";
    TENON_CHECK_ARG(rule != nullptr, kFunction, ": rule must be given, got NULL");
    const auto whole = tenon::base::read_struct(kFunction, kFirstRule, *rule);
    tenon::base::check_reserved(kFunction, whole.reserved0, whole.reserved);
    TENON_CHECK_ARG(library != nullptr, kFunction, ": library must be given, got NULL");
    TENON_CHECK_ARG(name != nullptr, kFunction, ": name must be given, got NULL");
    auto registration = autocast::register_rule(library, name, whole);
    if (out_registration != nullptr) *out_registration = registration.detach();
  });
}

}  // extern "C"
