// SPDX-License-Identifier: Apache-2.0
#include "base/fork.h"

#include <pthread.h>

#include "base/thread.h"

namespace tenon::base {

namespace {

constexpr auto kPlaces = static_cast<uint32_t>(ForkOrder::kCount);
constinit std::mutex makings[kPlaces] = {};
constinit std::atomic<std::mutex*> mutexes[kPlaces] = {};
constinit std::atomic<const ForkLocks*> guarded_locks[kPlaces] = {};
constinit std::mutex* held[kPlaces] = {};  // by the forking thread, around the fork
constinit const ForkLocks* guarded_held[kPlaces] = {};
constinit std::atomic<uint32_t> forks{0};
constinit std::atomic<bool> hooked{false};
pthread_once_t hook_once = PTHREAD_ONCE_INIT;

// Locks in the order of ForkOrder: a thread that holds the lock of a place may construct the
// objects of later places.
void lock_all() {
  for (uint32_t place = 0; place < kPlaces; ++place) {
    makings[place].lock();
    held[place] = mutexes[place].load(std::memory_order_acquire);
    guarded_held[place] = guarded_locks[place].load(std::memory_order_relaxed);
    if (held[place] != nullptr) held[place]->lock();
    if (guarded_held[place] != nullptr) guarded_held[place]->lock();
  }
}

void unlock_all() {
  for (uint32_t place = kPlaces; place-- > 0;) {
    if (guarded_held[place] != nullptr) guarded_held[place]->unlock();
    if (held[place] != nullptr) held[place]->unlock();
    makings[place].unlock();
  }
}

void unlock_all_in_child() {
  forks.fetch_add(1, std::memory_order_relaxed);
  unlock_all();
}

// Registers the fork handlers once. If the parent forked inside this function, the child runs it
// again.
void hook() {
  if (!hooked.exchange(true)) pthread_atfork(&lock_all, &unlock_all, &unlock_all_in_child);
}

}  // namespace

std::mutex& making(ForkOrder place) {
  // The fork handlers of thread records are registered first, so that their locks are acquired
  // last.
  own_thread_record();
  pthread_once(&hook_once, &hook);
  return makings[static_cast<uint32_t>(place)];
}

void hold_across_fork(std::mutex& mutex, ForkOrder place, const ForkLocks* guarded) {
  guarded_locks[static_cast<uint32_t>(place)].store(guarded, std::memory_order_relaxed);
  mutexes[static_cast<uint32_t>(place)].store(&mutex, std::memory_order_release);
}

uint32_t fork_generation() noexcept { return forks.load(std::memory_order_relaxed); }

}  // namespace tenon::base
