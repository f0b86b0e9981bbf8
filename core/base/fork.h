// SPDX-License-Identifier: Apache-2.0
// Locks that a fork acquires, so that the child finds them free and the data that they guard
// consistent.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <new>

namespace tenon::base {

/// The process's locks, in the order in which a thread may acquire several.
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

/// Functions that acquire and release further locks for one fork, such as those of all objects in a
/// list. They are called while the mutex that protects the list is held.
struct ForkLocks {
  void (*lock)();
  void (*unlock)();
};

/// Registers a mutex, and the `guarded` locks, which each later fork holds: it acquires them in
/// this order, and releases them in parent and child. Each place has one mutex, which is never
/// destroyed and which the constructor of the place's singleton registers.
void hold_across_fork(std::mutex& mutex, ForkOrder place, const ForkLocks* guarded = nullptr);

/// Returns the number of forks between the process that loaded the library and this one. If work in
/// progress is stored with the number, a later reader can detect that its thread did not survive a
/// fork.
uint32_t fork_generation() noexcept;

/// Returns the mutex that is held while the object of a place is constructed, and during each fork.
/// Used by singleton() only.
std::mutex& making(ForkOrder place);

/// Returns the process's only T, made on first use and never destroyed. Its constructor may make
/// the objects of later places. A static variable in a function would not work: a child forked
/// while another thread initializes it would wait for that thread forever.
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

/// A condition variable for one lock. The child of a fork starts with a new one, because the old
/// one would wait for threads of the parent. Used only under that lock.
class ForkSafeCondition {
 public:
  ForkSafeCondition() noexcept { renew(); }
  ~ForkSafeCondition() {}  // not destroyed: threads of the parent may be waiting
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
