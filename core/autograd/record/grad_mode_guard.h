// SPDX-License-Identifier: Apache-2.0
// GradModeGuard: the calling thread's grad mode, on or off for a while.
#pragma once

#include "base/thread.h"

namespace tenon::autograd {

/// Put back also when a forced unwind goes through. Inference mode stays as it is.
class GradModeGuard {
 public:
  explicit GradModeGuard(bool on) {
    base::ThreadRecord* thread = base::require_thread_record();
    before_ = thread->grad_mode;
    const bool inference = base::makes_inference_tensors(before_);
    const uint32_t mode = on ? (inference ? TENON_GRAD_MODE_INFERENCE_ON : TENON_GRAD_MODE_ON)
                             : (inference ? TENON_GRAD_MODE_INFERENCE : TENON_GRAD_MODE_OFF);
    base::set_grad_mode(thread, mode);
  }
  ~GradModeGuard() { base::set_grad_mode(base::current_thread(), before_); }
  GradModeGuard(const GradModeGuard&) = delete;
  GradModeGuard& operator=(const GradModeGuard&) = delete;

 private:
  uint32_t before_;
};

}  // namespace tenon::autograd
