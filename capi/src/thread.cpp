// SPDX-License-Identifier: Apache-2.0
// Thread states and slots; see tenon/thread.h.
#include "tenon/thread.h"

#include "dispatch/thread_state.h"
#include "guard.h"

namespace dispatch = tenon::dispatch;
using tenon::capi::guarded;

extern "C" {

tenon_status tenon_thread_state_capture(tenon_thread_state** out_state) {
  *out_state = nullptr;
  return guarded([&] { *out_state = dispatch::capture_thread_state().detach(); });
}

tenon_status tenon_thread_state_enter(const tenon_thread_state* state,
                                      tenon_thread_state** out_previous) {
  *out_previous = nullptr;
  return guarded([&] { *out_previous = dispatch::enter_thread_state(*state).detach(); });
}

tenon_status tenon_thread_state_leave(tenon_thread_state* previous) {
  return guarded([&] { dispatch::leave_thread_state(previous); });
}

tenon_thread_state* tenon_thread_state_retain(tenon_thread_state* state) {
  if (state != nullptr) state->retain();
  return state;
}

void tenon_thread_state_release(tenon_thread_state* state) {
  if (state != nullptr) state->release();
}

}  // extern "C"
