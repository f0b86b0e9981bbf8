// SPDX-License-Identifier: Apache-2.0
// A thing that the first call which needs it makes, and that is never freed: threads may use it
// while the process ends. A constinit variable of this type needs no guard of the compiler's.
#pragma once

#include <atomic>
#include <mutex>

namespace tenon::kernels::cpu {

template <class T>
class MadeOnce {
 public:
  constexpr MadeOnce() noexcept = default;

  // What `make` gave to the first call.
  template <class Make>
  T& get(Make&& make) {
    if (T* made = made_.load(std::memory_order_acquire)) return *made;
    const std::lock_guard lock(mutex_);
    T* made = made_.load(std::memory_order_relaxed);
    if (made == nullptr) {
      made = new T(make());
      made_.store(made, std::memory_order_release);
    }
    return *made;
  }

 private:
  std::mutex mutex_;
  std::atomic<T*> made_{nullptr};
};

}  // namespace tenon::kernels::cpu
