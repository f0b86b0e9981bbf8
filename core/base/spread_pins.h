// SPDX-License-Identifier: Apache-2.0
// SpreadPins: counters for pins that are taken and dropped all the time. Each thread has its own
// counter, so that neither takes an atomic operation; a pin taken on one thread may be dropped on
// another.
//
// Note: the last pin. The sum of the counters matters only once the pinned object has been retired.
// From then on, pins are only dropped, so that a sum of zero stays zero. The retiring thread
// announces that it waits, makes a barrier on all threads, and computes the sum. A thread that
// drops a pin checks afterwards whether a wait was announced in between. So either the sum includes
// the drop, or the dropping thread sees the announcement and computes the sum again.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/thread.h"

namespace tenon::base {

// Defined in reclaim.cpp, see reclaim.h.
void full_fence() noexcept;
void reap_unpinned() noexcept;

class SpreadPins {
 public:
  SpreadPins() noexcept = default;
  /// All pins must have been dropped.
  ~SpreadPins();
  SpreadPins(const SpreadPins&) = delete;
  SpreadPins& operator=(const SpreadPins&) = delete;

  /// Takes a place in the threads' tables, before there are pins. Without a place, and on threads
  /// without a record, pins are counted in one shared counter.
  void take_place() noexcept;
  /// Adds a pin. The caller is in a call that keeps the pinned object alive.
  void take() noexcept { add(1); }
  /// Drops a pin. The pinned object may be gone afterwards.
  void drop() noexcept {
    const uint64_t before = waits_.load(std::memory_order_acquire);
    if (is_awaited_.load(std::memory_order_acquire)) [[unlikely]] {
      return drop_awaited();
    }
    add(-1);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (current_thread()->fenced.load(std::memory_order_relaxed) != 0) [[unlikely]] {
      full_fence();
    }
    if (waits_.load(std::memory_order_relaxed) != before) [[unlikely]] {
      reap_unpinned();
    }
  }

  /// For reclaim.cpp: announces that the last pin is waited for; the caller then makes a barrier.
  void await() noexcept {
    is_awaited_.store(true, std::memory_order_release);
    waits_.fetch_add(1, std::memory_order_seq_cst);
  }
  /// Returns the sum of all counters. Zero is final once the object is retired and its calls have
  /// ended.
  int64_t sum() const noexcept;

  static constexpr uint32_t kPlaces = ThreadRecord::kPinParts * ThreadRecord::kPinsInPart;

 private:
  void add(int64_t change) noexcept {
    auto* part =
        current_thread()->pins[place_ / ThreadRecord::kPinsInPart].load(std::memory_order_relaxed);
    if (part == nullptr) [[unlikely]] {
      return add_slow(change);
    }
    std::atomic<int64_t>& mine = part[place_ % ThreadRecord::kPinsInPart];
    mine.store(mine.load(std::memory_order_relaxed) + change, std::memory_order_release);
  }
  void add_slow(int64_t change) noexcept;
  void drop_awaited() noexcept;

  static std::atomic<uint64_t> waits_;  // number of announced waits

  uint32_t place_ = kPlaces;  // kPlaces: none
  std::atomic<bool> is_awaited_{false};
  std::atomic<int64_t> together_{0};
};

}  // namespace tenon::base
