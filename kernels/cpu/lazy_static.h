// SPDX-License-Identifier: Apache-2.0
// A value that the first call makes, and that is never freed, because threads may use it while the
// process exits. A constinit variable of this type needs no guard from the compiler.
#pragma once

#include <atomic>
#include <mutex>

namespace tenon::kernels::cpu {

template <class T>
class LazyStatic {
 public:
  constexpr LazyStatic() noexcept = default;

  // Returns the value, which the first call makes by `make()`.
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
