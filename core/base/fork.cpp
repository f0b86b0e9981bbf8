// SPDX-License-Identifier: Apache-2.0
#include "base/fork.h"

#include <pthread.h>

#include <atomic>

#include "base/thread.h"

namespace tenon::base {

namespace {

constexpr auto kPlaces = static_cast<uint32_t>(ForkOrder::kCount);
constinit std::atomic<std::mutex*> mutexes[kPlaces] = {};
constinit std::mutex* held[kPlaces] = {};  // by the thread that forks, from before to after

void lock_all() {
  for (uint32_t place = 0; place < kPlaces; ++place) {
    held[place] = mutexes[place].load(std::memory_order_acquire);
    if (held[place] != nullptr) held[place]->lock();
  }
}

void unlock_all() {
  for (uint32_t place = kPlaces; place-- > 0;) {
    if (held[place] != nullptr) held[place]->unlock();
  }
}

}  // namespace

void hold_across_fork(std::mutex& mutex, ForkOrder place) {
  // The thread records' own handlers come first, so that their locks are taken last.
  own_thread_record();
  [[maybe_unused]] static const int hooked = pthread_atfork(&lock_all, &unlock_all, &unlock_all);
  mutexes[static_cast<uint32_t>(place)].store(&mutex, std::memory_order_release);
}

}  // namespace tenon::base
