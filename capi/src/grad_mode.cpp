// SPDX-License-Identifier: Apache-2.0
// The calling thread's grad mode; see tenon/grad_mode.h.
#include "tenon/grad_mode.h"

#include "base/check.h"
#include "base/thread.h"
#include "key_guard.h"
#include "not_null.h"

namespace base = tenon::base;
using base::ThreadRecord;
using tenon::capi::enter_key_guard;
using tenon::capi::guarded;

namespace {

constexpr const char* kNames[] = {"OFF", "ON", "INFERENCE", "INFERENCE_ON", "NORMAL"};
constexpr uint64_t kWrites = base::functionality_bit(TENON_FUNCTIONALITY_AD_INPLACE_OR_VIEW);

void check_mode(const char* function, uint32_t mode) {
  TENON_CHECK_ARG(mode <= TENON_GRAD_MODE_NORMAL, function,
                  ": mode must be a TENON_GRAD_MODE_* number, got ", mode);
}

/// Returns the mode that results from entering `wanted` inside the mode `now`.
uint32_t mode_inside(uint32_t now, uint32_t wanted) {
  if (wanted == TENON_GRAD_MODE_NORMAL) return TENON_GRAD_MODE_ON;
  return wanted <= TENON_GRAD_MODE_ON ? (now & TENON_GRAD_MODE_INFERENCE) | wanted : wanted;
}

}  // namespace

extern "C" {

tenon_status tenon_grad_mode_enter(uint32_t mode, tenon_key_guard* out_guard) {
  TENON_NEVER_NULL(out_guard);
  if (mode > TENON_GRAD_MODE_NORMAL) [[unlikely]] {
    *out_guard = {};
    return guarded([&] { check_mode("tenon_grad_mode_enter", mode); });
  }
  return enter_key_guard(out_guard, [&](ThreadRecord& thread) {
    base::set_grad_mode(&thread, mode_inside(thread.grad_mode, mode));
    if (base::makes_inference_tensors(thread.grad_mode)) thread.include &= ~kWrites;
    if (mode == TENON_GRAD_MODE_NORMAL) thread.include |= kWrites;
  });
}

tenon_status tenon_grad_mode_set(uint32_t mode) {
  return guarded([&] {
    check_mode("tenon_grad_mode_set", mode);
    const uint32_t now = base::grad_mode();
    const uint32_t next = mode_inside(now, mode);
    TENON_CHECK(mode != TENON_GRAD_MODE_NORMAL &&
                    base::makes_inference_tensors(next) == base::makes_inference_tensors(now),
                TENON_ERROR_STATE, "tenon_grad_mode_set: ", kNames[mode],
                " must be entered or left with a guard, got a call in mode ", kNames[now]);
    if (next != now) base::set_grad_mode(base::require_thread_record(), next);
  });
}

uint32_t tenon_grad_mode_get(void) { return base::grad_mode(); }

}  // extern "C"
