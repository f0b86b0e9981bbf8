// SPDX-License-Identifier: Apache-2.0
// Locks that a fork takes, so that the child finds them free and what they guard whole.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <new>

namespace tenon::base {

/// The process's locks, in the order in which a thread may hold several.
enum class ForkOrder : uint32_t {
  kAutoLoad,
  kRegistry,
  kPlugins,
  kKeys,
  kTypes,
  kNames,
  kDefaultGenerators,
  kGenerators,
  kSharedDefaults,
  kEmptySnapshot,
  kThreadSlots,
  kWarnings,
  kCount
};

/// Locks that come and go, or what else a fork has to wait for, found under the lock of their
/// place: all of them, for one fork.
struct ForkLocks {
  void (*lock)();
  void (*unlock)();
};

/// Holds a lock during each fork from now on, and those that it guards. One for each place; it
/// lives for ever. Called by the constructor of the place's singleton.
void hold_across_fork(std::mutex& mutex, ForkOrder place, const ForkLocks* guarded = nullptr);

/// How many forks led to this process since the library came up: what was noted under another
/// number was begun by a thread of an ancestor, which is not here to end it.
uint32_t fork_generation() noexcept;

/// Held while the thing of a place is made, and so during each fork. Taken by singleton() only.
std::mutex& making(ForkOrder place);

/// The process's one T, made on first use and never destroyed. It may make those of later places.
/// A function's static variable would not do: a child forked while another thread makes it would
/// wait for that thread for ever.
template <typename T, ForkOrder place>
T& singleton() {
  static constinit std::atomic<T*> made{nullptr};
  T* instance = made.load(std::memory_order_acquire);
  if (instance == nullptr) [[unlikely]] {
    const std::lock_guard lock(making(place));
    instance = made.load(std::memory_order_relaxed);
    if (instance == nullptr) {
      instance = new T;
      made.store(instance, std::memory_order_release);
    }
  }
  return *instance;
}

/// A condition variable for one lock. A child begins with a new one: the old would wait for threads
/// of the parent. Used under that lock only.
class ForkSafeCondition {
 public:
  ForkSafeCondition() noexcept { renew(); }
  ~ForkSafeCondition() {}  // leaves the variable alone: threads that are gone may be on it
  ForkSafeCondition(const ForkSafeCondition&) = delete;
  ForkSafeCondition& operator=(const ForkSafeCondition&) = delete;

  void wait(std::unique_lock<std::mutex>& lock) { current().wait(lock); }
  void wait_until(std::unique_lock<std::mutex>& lock, std::chrono::steady_clock::time_point end) {
    current().wait_until(lock, end);
  }
  void notify_all() noexcept { current().notify_all(); }

 private:
  void renew() noexcept {
    generation_ = fork_generation();
    new (&condition_) std::condition_variable;
  }
  std::condition_variable& current() noexcept {
    if (generation_ != fork_generation()) renew();
    return condition_;
  }

  union {
    std::condition_variable condition_;
  };
  uint32_t generation_;
};

}  // namespace tenon::base
