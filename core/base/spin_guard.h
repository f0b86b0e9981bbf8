// SPDX-License-Identifier: Apache-2.0
// SpinGuard: a spin lock held for a few instructions, during which no foreign code runs.
#pragma once

#include <atomic>
#include <thread>

namespace tenon::base {

class SpinGuard {
 public:
  explicit SpinGuard(std::atomic<bool>& locked) noexcept : locked_(locked) {
    while (locked_.exchange(true, std::memory_order_acquire)) std::this_thread::yield();
  }
  ~SpinGuard() { locked_.store(false, std::memory_order_release); }
  SpinGuard(const SpinGuard&) = delete;
  SpinGuard& operator=(const SpinGuard&) = delete;

 private:
  std::atomic<bool>& locked_;
};

}  // namespace tenon::base
