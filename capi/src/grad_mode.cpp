// SPDX-License-Identifier: Apache-2.0
// The calling thread's grad mode; see tenon/grad_mode.h.
#include "tenon/grad_mode.h"

#include "base/check.h"
#include "base/thread.h"
#include "key_guard.h"

namespace base = tenon::base;
using base::ThreadRecord;
using tenon::capi::enter_key_guard;
using tenon::capi::guarded;

namespace {

constexpr const char* kNames[] = {"OFF", "ON", "INFERENCE"};

void check_mode(const char* function, uint32_t mode) {
  TENON_CHECK_ARG(mode <= TENON_GRAD_MODE_INFERENCE, function,
                  ": mode must be a TENON_GRAD_MODE_* number, got ", mode);
}

}  // namespace

extern "C" {

tenon_status tenon_grad_mode_enter(uint32_t mode, tenon_key_guard* out_guard) {
  return enter_key_guard(out_guard, [&](ThreadRecord& thread) {
    check_mode("tenon_grad_mode_enter", mode);
    if (thread.grad_mode == TENON_GRAD_MODE_INFERENCE) {
      TENON_CHECK(mode != TENON_GRAD_MODE_ON, TENON_ERROR_STATE,
                  "tenon_grad_mode_enter: mode inside INFERENCE must be OFF or INFERENCE, got ON");
      return;  // both leave it as it is
    }
    base::set_grad_mode(&thread, mode);
    if (mode == TENON_GRAD_MODE_INFERENCE) {
      thread.include &= ~base::functionality_bit(TENON_FUNCTIONALITY_AD_INPLACE_OR_VIEW);
    }
  });
}

tenon_status tenon_grad_mode_set(uint32_t mode) {
  return guarded([&] {
    check_mode("tenon_grad_mode_set", mode);
    const uint32_t now = base::grad_mode();
    if (mode == now) return;
    TENON_CHECK(mode != TENON_GRAD_MODE_INFERENCE && now != TENON_GRAD_MODE_INFERENCE,
                TENON_ERROR_STATE, "tenon_grad_mode_set: INFERENCE must be entered and left by a ",
                "guard, got ", kNames[mode], " while the mode is ", kNames[now]);
    base::set_grad_mode(base::require_thread_record(), mode);
  });
}

uint32_t tenon_grad_mode_get(void) { return base::grad_mode(); }

}  // extern "C"
