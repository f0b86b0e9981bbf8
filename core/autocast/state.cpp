// SPDX-License-Identifier: Apache-2.0
#include "autocast/state.h"

#include <algorithm>
#include <memory>

#include "base/check.h"
#include "dispatch/key_tls.h"
#include "tensor/dtype.h"

namespace tenon::autocast {

namespace {

tenon_status copy_state(void* word, void** out_word) noexcept {
  const State& state = *static_cast<const State*>(word);
  if (state.depth == 0 && state.settings == Settings()) {
    *out_word = nullptr;
    return TENON_OK;
  }
  try {
    auto copy = std::make_unique<State>();
    copy->settings = state.settings;
    copy->depth = state.depth;
    *out_word = copy.release();
    return TENON_OK;
  } catch (const std::bad_alloc&) {
    return base::set_current_error(base::ErrorPtr::adopt(base::ErrorObject::out_of_memory()));
  }
}

void drop_state(void* word) noexcept { delete static_cast<State*>(word); }

}  // namespace

constinit dispatch::OwnSlot state_slot("tenon.autocast", &copy_state, &drop_state);

Settings::Settings() noexcept {
  std::fill(std::begin(dtypes), std::end(dtypes), int8_t{TENON_DTYPE_F16});
  dtypes[TENON_BACKEND_CPU] = TENON_DTYPE_BF16;
}

State& require_thread_state() {
  void** word = state_slot.place();
  if (*word == nullptr) *word = new State;
  return *static_cast<State*>(*word);
}

Settings thread_settings() noexcept {
  const State* state = thread_state();
  Settings settings = state != nullptr ? state->settings : Settings();
  if ((dispatch::excluded_keys() & kAutocast) != 0) settings.enabled = 0;
  return settings;
}

void set_thread_settings(const Settings& settings) noexcept {
  thread_state()->settings = settings;
  base::ThreadRecord* thread = base::current_thread();
  base::set_exclude(
      thread, settings.enabled != 0 ? thread->exclude & ~kAutocast : thread->exclude | kAutocast);
}

void check_device_type(const char* who, int32_t device_type) {
  const char* name = tensor::find_device_type_name(device_type);
  TENON_CHECK_ARG(device_type >= 0 && device_type < kAutocastTypes && name != nullptr, who,
                  ": device_type must be one that supports autocast, got ",
                  name != nullptr ? std::string(name) : base::concat(device_type));
}

void check_dtype(const char* who, tenon_dtype dtype) {
  TENON_CHECK_TYPE(tensor::is_floating(dtype), who, ": dtype must be floating point, got ",
                   tensor::dtype_name(dtype));
}

tenon_dtype lower_precision(int32_t device_type) noexcept {
  const State* state = thread_state();
  return (state != nullptr ? state->settings : Settings()).dtypes[device_type];
}

}  // namespace tenon::autocast
