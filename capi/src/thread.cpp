// SPDX-License-Identifier: Apache-2.0
// Thread states and slots; see tenon/thread.h.
#include "tenon/thread.h"

#include "base/read_struct.h"
#include "dispatch/thread_slot.h"
#include "dispatch/thread_state.h"
#include "guard.h"
#include "not_null.h"

namespace dispatch = tenon::dispatch;
using tenon::capi::guarded;

extern "C" {

tenon_status tenon_thread_state_capture(tenon_thread_state** out_state) {
  TENON_REQUIRE(out_state);
  *out_state = nullptr;
  return guarded([&] { *out_state = dispatch::capture_thread_state().detach(); });
}

tenon_status tenon_thread_state_enter(const tenon_thread_state* state,
                                      tenon_thread_state** out_previous) {
  TENON_REQUIRE(out_previous);
  TENON_REQUIRE(state, out_previous);
  *out_previous = nullptr;
  return guarded([&] { *out_previous = dispatch::enter_thread_state(*state).detach(); });
}

tenon_status tenon_thread_state_leave(tenon_thread_state* previous) {
  TENON_REQUIRE(previous);
  return guarded([&] { dispatch::leave_thread_state(previous); });
}

tenon_thread_state* tenon_thread_state_retain(tenon_thread_state* state) {
  if (state != nullptr) state->retain();
  return state;
}

void tenon_thread_state_release(tenon_thread_state* state) {
  if (state != nullptr) state->release();
}

tenon_status tenon_thread_slot_register(const char* name, const tenon_thread_slot* slot,
                                        uint32_t* out_index) {
  TENON_REQUIRE(out_index);
  *out_index = 0;
  return guarded([&] {
    constexpr const char* kRegister = "tenon_thread_slot_register";
    constexpr size_t kFirstSize = 56;
    TENON_CHECK_ARG(name != nullptr && name[0] != '\0', kRegister,
                    ": name must be a nonempty string, got ", name != nullptr ? "\"\"" : "NULL");
    TENON_CHECK_ARG(slot != nullptr, kRegister, ": slot must be given, got NULL");
    const auto whole = tenon::base::read_struct(kRegister, kFirstSize, *slot);
    tenon::base::check_reserved(kRegister, whole.reserved0, whole.reserved);
    *out_index = dispatch::register_thread_slot(name, whole);
  });
}

void** tenon_thread_slot_peek(uint32_t index) { return dispatch::peek_thread_slot(index); }

}  // extern "C"
